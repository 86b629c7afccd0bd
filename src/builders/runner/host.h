/**
 * What the parts of the runner share. The runner is a wasip1 command that runs one JavaScript bundle, which a build
 * puts into its slot (`../js/splice.ts`). The bundle sees the standard globals (`prelude/`) and the module
 * `sausage:host`, whose functions are the parts `wait.c`, `streams.c`,
 * `text.c`, `files.c`, `sockets.c` and `http.c`.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

#define FUNCTION(name, length, call) JS_CFUNC_DEF(name, length, call)
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

extern const JSCFunctionListEntry wait_functions[], stream_functions[], text_functions[], file_functions[];
extern const JSCFunctionListEntry socket_functions[], http_functions[];
extern const int wait_function_count, stream_function_count, text_function_count, file_function_count;
extern const int socket_function_count, http_function_count;

/** Resources of WASI that JavaScript holds as numbers; the first five are those that one can wait for. */
enum kind { INPUT, OUTPUT, TCP, LOOKUP, FUTURE, INCOMING_BODY, OUTGOING_BODY, RESPONSE };

/** Where a call of WASI writes its result: for a `result` the first byte says whether it failed. */
union result {
  uint8_t failed;
  uint8_t byte[64];
  uint16_t half[32];
  int32_t word[16];
  uint64_t number[8];
};

/** Writes all of it, in as few calls as the system takes. */
void write_all(int fd, const char *bytes, size_t length);

/** Monotonic time in milliseconds. */
double now_ms(void);

/** Waits until something is due that the program waits for and calls its function once. False when nothing is awaited. */
bool wake(JSContext *context);

/** Tells the prelude of an error that nobody caught, or prints it when that fails too. */
void report_uncaught(JSContext *context, JSValue error);

/** Frees a list or a string that WASI wrote; an empty one has no memory. */
void free_list(int32_t bytes, int32_t length);

/** Throws a TypeError with a `code`, the name of the error in WASI, and a detail that may be NULL. */
JSValue fail_network(JSContext *context, const char *code, const char *detail, size_t length);

/** The bytes of an ArrayBuffer or a view of one; NULL after throwing a TypeError. */
uint8_t *bytes_of(JSContext *context, JSValueConst value, size_t *length);

#endif
