/* What programs written for other systems expect of the C library and wasi-libc does not have. */

#include <stdlib.h>
#include <string.h>

#include "glue.h"

/* There are no permissions. */
int chmod(const char *path, mode_t mode) {
  (void)path;
  (void)mode;
  return 0;
}

/* Links are left as they are, which every name is good for. */
char *realpath(const char *path, char *into) { return into ? strcpy(into, path) : strdup(path); }

int getpagesize(void) { return 65536; }

/* Rust's standard library names these although it never makes a thread here. */
int pthread_attr_init(void *attributes) {
  (void)attributes;
  return 0;
}

int pthread_attr_destroy(void *attributes) {
  (void)attributes;
  return 0;
}

int pthread_attr_setstacksize(void *attributes, size_t size) {
  (void)attributes;
  (void)size;
  return 0;
}
