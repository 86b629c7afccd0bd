/**
 * What the parts of the runner share. The runner is a wasip1 command that runs one JavaScript bundle, which a build
 * puts into its slot (`../js/splice.ts`). The bundle sees the standard globals (`prelude/`) and the module
 * `sausage:host`, whose functions are the parts `streams.c`, `text.c` and `files.c`.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

#define FUNCTION(name, length, call) JS_CFUNC_DEF(name, length, call)
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

extern const JSCFunctionListEntry stream_functions[], text_functions[], file_functions[];
extern const int stream_function_count, text_function_count, file_function_count;

/** Writes all of it, in as few calls as the system takes. */
void write_all(int fd, const char *bytes, size_t length);

/** Monotonic time in milliseconds. */
double now_ms(void);

/** Waits until a line of stdin or a timer is due and calls its function once. False when nothing is awaited. */
bool wake(JSContext *context);

/** Tells the prelude of an error that nobody caught, or prints it when that fails too. */
void report_uncaught(JSContext *context, JSValue error);

/** The bytes of an ArrayBuffer or a view of one; NULL after throwing a TypeError. */
uint8_t *bytes_of(JSContext *context, JSValueConst value, size_t *length);

#endif
