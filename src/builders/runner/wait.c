/**
 * What the program waits for: lines of stdin, the deadline of its timers, and whatever else is ready once. Nothing starves:
 * the three have their turns, and under a storm of one of them the others are looked at all the same.
 */
#include "host.h"
#include "wasi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static JSValue on_line, on_timer, on_uncaught;
static bool wants_lines, has_timer, has_uncaught, finished;
static double deadline = __builtin_inf();

/** What was read of stdin and not yet handed out begins at `from` and is looked through for a newline up to `seen`. */
static char *input;
static size_t from, seen, held, room;
static bool input_ended;
static handle standard_input;
static bool input_is_open;

/** Those who wait for a resource, in the order in which they came. */
struct waiter {
  int32_t id;
  handle pollable;
  bool ready;
  JSValue call;
};
static struct waiter *waiters;
static size_t waiter_count, waiter_room;
static int32_t last_id;

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

static handle open_input(void) {
  if (!input_is_open) standard_input = wasi_get_stdin();
  input_is_open = true;
  return standard_input;
}

/** Takes what stdin has; `waiting` until it has something. */
static void read_input(bool waiting) {
  if (from > 0) {
    memmove(input, input + from, held - from);
    held -= from;
    seen -= from;
    from = 0;
  }
  if (room - held < 1 << 16) input = realloc(input, room = room ? room * 2 : 1 << 17);
  union result result;
  (waiting ? wasi_blocking_read : wasi_read)(open_input(), room - held, &result);
  if (result.failed) {
    if (result.word[1] == 0) wasi_drop_error(result.word[2]);
    input_ended = true;
    return;
  }
  memcpy(input + held, (void *)result.word[1], result.word[2]);
  held += result.word[2];
  free_list(result.word[1], result.word[2]);
}

static void call(JSContext *context, JSValueConst function, int count, JSValue *args) {
  JSValue kept = JS_DupValue(context, function); /* it may put another in its place */
  JSValue result = JS_Call(context, kept, JS_UNDEFINED, count, args);
  for (int i = 0; i < count; i++) JS_FreeValue(context, args[i]);
  if (JS_IsException(result)) report_uncaught(context, JS_GetException(context));
  JS_FreeValue(context, result);
  JS_FreeValue(context, kept);
}

static bool run_timer(JSContext *context) {
  if (!has_timer || deadline == __builtin_inf() || now_ms() < deadline) return false;
  deadline = __builtin_inf(); /* the timer sets the next one */
  call(context, on_timer, 0, NULL);
  return true;
}

static bool run_line(JSContext *context) {
  size_t length;
  if (!wants_lines || !line_is_there(&length)) return false;
  bool last = input_ended && from + length == held;
  JSValue line = last && length == 0 ? JS_NULL : JS_NewStringLen(context, input + from, length);
  from = last ? held : from + length + 1;
  seen = from;
  if (JS_IsNull(line)) wants_lines = false;
  call(context, on_line, 1, &line);
  return true;
}

static void remove_waiter(size_t at) {
  wasi_drop_pollable(waiters[at].pollable);
  waiter_count--;
  memmove(waiters + at, waiters + at + 1, (waiter_count - at) * sizeof *waiters);
}

static bool run_waiter(JSContext *context) {
  for (size_t i = 0; i < waiter_count; i++) {
    if (!waiters[i].ready) continue;
    JSValue function = waiters[i].call;
    remove_waiter(i);
    call(context, function, 0, NULL);
    JS_FreeValue(context, function);
    return true;
  }
  return false;
}

/** Looks at everything that is awaited, for so many milliseconds or until something happens. False when nothing is. */
static bool look(double most) {
  size_t length;
  bool reads = wants_lines && !line_is_there(&length);
  bool timed = most < __builtin_inf();
  if (!reads && !timed && waiter_count == 0) return false;
  if (reads && !timed && waiter_count == 0) {
    read_input(true); /* a read waits by itself */
    return true;
  }
  handle *list = malloc((waiter_count + 2) * sizeof *list);
  size_t count = waiter_count;
  for (size_t i = 0; i < waiter_count; i++) list[i] = waiters[i].pollable;
  if (reads) list[count++] = wasi_subscribe_input(open_input());
  if (timed) list[count++] = wasi_subscribe_duration(most > 0 ? (uint64_t)(most * 1e6) : 0);
  union result result;
  wasi_poll(list, count, &result);
  const uint32_t *ready = (const uint32_t *)result.word[0];
  bool has_input = false;
  for (uint32_t i = 0; i < (uint32_t)result.word[1]; i++) {
    if (ready[i] < waiter_count) waiters[ready[i]].ready = true;
    else if (reads && ready[i] == waiter_count) has_input = true;
  }
  free_list(result.word[0], result.word[1]);
  for (size_t i = waiter_count; i < count; i++) wasi_drop_pollable(list[i]);
  free(list);
  if (has_input) read_input(false);
  return true;
}

/** After so many events in a row that needed no wait, the rest is looked at. */
#define STORM 16

bool wake(JSContext *context) {
  static bool (*const kinds[])(JSContext *) = {run_timer, run_line, run_waiter};
  static int turn, events;
  while (!finished) {
    if (++events % STORM == 0) look(0);
    for (int i = 0; i < 3; i++) {
      int kind = (turn + i) % 3;
      if (!kinds[kind](context)) continue;
      turn = kind + 1;
      return true;
    }
    bool timed = has_timer && deadline < __builtin_inf();
    double left = timed ? deadline - now_ms() : __builtin_inf();
    if (!look(left > 0 ? left : 0)) return false;
    events = 0;
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

/** `whenReady(kind, handle, call)`: the number by which `forget` takes it back. */
static JSValue host_when_ready(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  static handle (*const subscribe[])(handle) = {
      [INPUT] = wasi_subscribe_input,
      [OUTPUT] = wasi_subscribe_output,
      [TCP] = wasi_subscribe_tcp,
      [LOOKUP] = wasi_subscribe_lookup,
      [FUTURE] = wasi_subscribe_future,
  };
  int32_t kind, of;
  if (JS_ToInt32(context, &kind, args[0]) || JS_ToInt32(context, &of, args[1])) return JS_EXCEPTION;
  if (kind < 0 || kind >= COUNT(subscribe)) return JS_ThrowTypeError(context, "nobody can wait for this");
  if (waiter_count == waiter_room) {
    waiter_room = waiter_room ? waiter_room * 2 : 16;
    waiters = realloc(waiters, waiter_room * sizeof *waiters);
  }
  waiters[waiter_count++] = (struct waiter){++last_id, subscribe[kind](of), false, JS_DupValue(context, args[2])};
  return JS_NewInt32(context, last_id);
}

static JSValue host_forget(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t id;
  if (JS_ToInt32(context, &id, args[0])) return JS_EXCEPTION;
  for (size_t i = 0; i < waiter_count; i++) {
    if (waiters[i].id != id) continue;
    JSValue function = waiters[i].call;
    remove_waiter(i);
    JS_FreeValue(context, function);
    break;
  }
  return JS_UNDEFINED;
}

static JSValue host_end(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  finished = true;
  return JS_UNDEFINED;
}

const JSCFunctionListEntry wait_functions[] = {
    FUNCTION("onLine", 1, host_on_line),
    FUNCTION("onTimer", 1, host_on_timer),
    FUNCTION("onUncaught", 1, host_on_uncaught),
    FUNCTION("setDeadline", 1, host_deadline),
    FUNCTION("whenReady", 3, host_when_ready),
    FUNCTION("forget", 1, host_forget),
    FUNCTION("end", 0, host_end),
};
const int wait_function_count = COUNT(wait_functions);
