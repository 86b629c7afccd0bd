/** The functions of `sausage:host` for stdout, stderr, time, surroundings and the end of the program. */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

extern char **environ;

void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(fd, bytes, length);
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return; /* nobody reads any more */
    }
    bytes += count;
    length -= count;
  }
}

double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static JSValue host_now(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return JS_NewFloat64(context, now_ms());
}

static JSValue write_text(JSContext *context, int fd, JSValueConst value) {
  size_t length;
  const char *text = JS_ToCStringLen(context, &length, value);
  if (!text) return JS_EXCEPTION;
  write_all(fd, text, length);
  JS_FreeCString(context, text);
  return JS_UNDEFINED;
}

static JSValue host_write(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return write_text(context, 1, args[0]);
}

static JSValue host_log(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return write_text(context, 2, args[0]);
}

static JSValue host_exit(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t code = 0;
  if (JS_ToInt32(context, &code, args[0])) return JS_EXCEPTION;
  _Exit(code);
}

static JSValue host_args(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  size_t number, size;
  JSValue list = JS_NewArray(context);
  if (__wasi_args_sizes_get(&number, &size) != 0) return list;
  char **names = malloc((number + 1) * sizeof *names), *bytes = malloc(size + 1);
  if (__wasi_args_get((uint8_t **)names, (uint8_t *)bytes) == 0) {
    for (uint32_t i = 0; i < number; i++) JS_SetPropertyUint32(context, list, i, JS_NewString(context, names[i]));
  }
  free(bytes);
  free(names);
  return list;
}

static JSValue host_env(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  JSValue all = JS_NewObject(context);
  for (char **entry = environ; entry && *entry; entry++) {
    char *equals = strchr(*entry, '=');
    if (!equals) continue;
    JSAtom name = JS_NewAtomLen(context, *entry, equals - *entry);
    JS_SetProperty(context, all, name, JS_NewString(context, equals + 1));
    JS_FreeAtom(context, name);
  }
  return all;
}

const JSCFunctionListEntry stream_functions[] = {
    FUNCTION("now", 0, host_now),
    FUNCTION("write", 1, host_write),
    FUNCTION("log", 1, host_log),
    FUNCTION("exit", 1, host_exit),
    FUNCTION("args", 0, host_args),
    FUNCTION("env", 0, host_env),
};
const int stream_function_count = COUNT(stream_functions);
