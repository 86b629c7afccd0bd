/* What programs written for other systems expect of the C library and wasi-libc does not declare. */

#include <sys/types.h>

int chmod(const char *path, mode_t mode);
char *realpath(const char *path, char *into);
int getpagesize(void);
