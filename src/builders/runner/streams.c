/** The functions of `sausage:host` for stdin, stdout, stderr, time and the end of the program. */
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

/** What the program waits for. */
static JSValue on_line, on_timer, on_uncaught;
static bool wants_lines, has_timer, has_uncaught, finished;
static double deadline = __builtin_inf();

/** What was read of stdin and not yet handed out begins at `from` and is looked through for a newline up to `seen`. */
static char *input;
static size_t from, seen, held, room;
static bool input_ended;

static bool line_is_there(size_t *length) {
  if (held > seen) {
    char *end = memchr(input + seen, '\n', held - seen);
    if (end) {
      *length = end - (input + from);
      return true;
    }
    seen = held;
  }
  *length = held - from;
  return input_ended;
}

static void read_input(void) {
  if (from > 0) {
    memmove(input, input + from, held - from);
    held -= from;
    seen -= from;
    from = 0;
  }
  if (room - held < 1 << 16) input = realloc(input, room = room ? room * 2 : 1 << 17);
  ssize_t count = read(0, input + held, room - held);
  if (count > 0) held += count;
  else if (count == 0 || (errno != EINTR && errno != EAGAIN)) input_ended = true;
}

static void call(JSContext *context, JSValueConst function, int count, JSValue *args) {
  JSValue kept = JS_DupValue(context, function); /* it may put another in its place */
  JSValue result = JS_Call(context, kept, JS_UNDEFINED, count, args);
  for (int i = 0; i < count; i++) JS_FreeValue(context, args[i]);
  if (JS_IsException(result)) report_uncaught(context, JS_GetException(context));
  JS_FreeValue(context, result);
  JS_FreeValue(context, kept);
}

bool wake(JSContext *context) {
  while (!finished) {
    bool timed = has_timer && deadline < __builtin_inf();
    if (timed && now_ms() >= deadline) {
      deadline = __builtin_inf(); /* the timer sets the next one */
      call(context, on_timer, 0, NULL);
      return true;
    }
    size_t length;
    if (wants_lines && line_is_there(&length)) {
      bool last = input_ended && from + length == held;
      JSValue line = last && length == 0 ? JS_NULL : JS_NewStringLen(context, input + from, length);
      from = last ? held : from + length + 1;
      seen = from;
      if (JS_IsNull(line)) wants_lines = false;
      call(context, on_line, 1, &line);
      return true;
    }
    __wasi_subscription_t wanted[2];
    __wasi_event_t events[2];
    __wasi_size_t count = 0, happened;
    memset(wanted, 0, sizeof wanted);
    if (wants_lines) {
      wanted[count].u.tag = __WASI_EVENTTYPE_FD_READ;
      wanted[count++].u.u.fd_read.file_descriptor = 0;
    }
    if (timed) {
      double left = deadline - now_ms();
      wanted[count].userdata = 1;
      wanted[count].u.tag = __WASI_EVENTTYPE_CLOCK;
      wanted[count].u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
      wanted[count++].u.u.clock.timeout = left > 0 ? (__wasi_timestamp_t)(left * 1e6) : 0;
    }
    if (count == 0) return false;
    if (count == 1 && wants_lines) {
      read_input(); /* a read waits by itself */
      continue;
    }
    if (__wasi_poll_oneoff(wanted, events, count, &happened) != 0) happened = 0;
    for (__wasi_size_t i = 0; i < happened; i++) {
      if (events[i].userdata == 0) read_input();
    }
  }
  return false;
}

void report_uncaught(JSContext *context, JSValue error) {
  if (has_uncaught) {
    JSValue result = JS_Call(context, on_uncaught, JS_UNDEFINED, 1, &error);
    if (!JS_IsException(result)) exit(1); /* unless it ended the program itself */
  }
  const char *text = JS_ToCString(context, error);
  write_all(2, text ? text : "error", text ? strlen(text) : 5);
  write_all(2, "\n", 1);
  exit(1);
}

static JSValue set_function(JSContext *context, JSValueConst value, JSValue *at, bool *set) {
  if (*set) JS_FreeValue(context, *at);
  *set = JS_IsFunction(context, value);
  if (*set) *at = JS_DupValue(context, value);
  return JS_UNDEFINED;
}

static JSValue host_on_line(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return set_function(context, args[0], &on_line, &wants_lines);
}

static JSValue host_on_timer(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return set_function(context, args[0], &on_timer, &has_timer);
}

static JSValue host_on_uncaught(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return set_function(context, args[0], &on_uncaught, &has_uncaught);
}

static JSValue host_deadline(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return JS_ToFloat64(context, &deadline, args[0]) ? JS_EXCEPTION : JS_UNDEFINED;
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

static JSValue host_end(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  finished = true;
  return JS_UNDEFINED;
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
    FUNCTION("onLine", 1, host_on_line),
    FUNCTION("onTimer", 1, host_on_timer),
    FUNCTION("onUncaught", 1, host_on_uncaught),
    FUNCTION("setDeadline", 1, host_deadline),
    FUNCTION("now", 0, host_now),
    FUNCTION("write", 1, host_write),
    FUNCTION("log", 1, host_log),
    FUNCTION("exit", 1, host_exit),
    FUNCTION("end", 0, host_end),
    FUNCTION("args", 0, host_args),
    FUNCTION("env", 0, host_env),
};
const int stream_function_count = COUNT(stream_functions);
