/**
 * The functions of `sausage:host` for streams and TCP. None waits: where something has to be waited for they answer
 * undefined or nothing, and `whenReady` tells when to ask again. `prelude/net.ts` makes promises of them.
 */
#include "host.h"
#include "wasi.h"

#include <stdlib.h>
#include <string.h>

/** `error-code` of wasi:sockets. */
static const char *const CODES[] = {
    "unknown", "access-denied", "not-supported", "invalid-argument", "out-of-memory", "timeout", "concurrency-conflict",
    "not-in-progress", "would-block", "invalid-state", "new-socket-limit", "address-not-bindable", "address-in-use",
    "remote-unreachable", "connection-refused", "connection-reset", "connection-aborted", "datagram-too-large",
    "name-unresolvable", "temporary-resolver-failure", "permanent-resolver-failure",
};
#define WOULD_BLOCK 8

void free_list(int32_t bytes, int32_t length) {
  if (length > 0) free((void *)bytes);
}

JSValue fail_network(JSContext *context, const char *code, const char *detail, size_t length) {
  JSValue error = JS_NewTypeError(context, "%s%s%.*s", code, length > 0 ? ": " : "", (int)length, detail ? detail : "");
  JS_DefinePropertyValueStr(context, error, "code", JS_NewString(context, code), JS_PROP_C_W_E);
  return JS_Throw(context, error);
}

static JSValue fail(JSContext *context, uint8_t code) {
  return fail_network(context, code < COUNT(CODES) ? CODES[code] : CODES[0], NULL, 0);
}

static handle network(void) {
  static handle all;
  static bool is_open;
  if (!is_open) all = wasi_network();
  is_open = true;
  return all;
}

/** Waits for a step of a socket that takes no time worth speaking of. */
static void wait_for(handle socket) {
  handle pollable = wasi_subscribe_tcp(socket);
  union result result;
  wasi_poll(&pollable, 1, &result);
  free_list(result.word[0], result.word[1]);
  wasi_drop_pollable(pollable);
}

/** An address as JavaScript gives it: 4 bytes or 8 words, as an array. */
struct address {
  int32_t family, part[11];
};

static bool read_address(JSContext *context, JSValueConst list, JSValueConst port, struct address *address) {
  int64_t length;
  memset(address, 0, sizeof *address);
  if (JS_GetLength(context, list, &length) || JS_ToInt32(context, &address->part[0], port)) return false;
  address->family = length == 8;
  for (int i = 0; i < (length == 8 ? 8 : 4); i++) {
    JSValue item = JS_GetPropertyUint32(context, list, i);
    if (JS_IsException(item)) return false;
    JS_ToInt32(context, &address->part[i + 1 + address->family], item);
    JS_FreeValue(context, item);
  }
  return true;
}
#define SPREAD(a) a.family, a.part[0], a.part[1], a.part[2], a.part[3], a.part[4], a.part[5], a.part[6], a.part[7], a.part[8], a.part[9], a.part[10]

static JSValue numbers(JSContext *context, const int32_t *list, int count) {
  JSValue array = JS_NewArray(context);
  for (int i = 0; i < count; i++) JS_SetPropertyUint32(context, array, i, JS_NewInt32(context, list[i]));
  return array;
}

/** Runs a step and its completion; false when it failed, with the code in `result`. */
static bool complete(handle socket, void (*finish)(handle, void *), union result *result) {
  if (result->failed) return false;
  for (;;) {
    finish(socket, result);
    if (!result->failed) return true;
    if (result->byte[1] != WOULD_BLOCK) return false;
    wait_for(socket);
  }
}

/** `tcpListen(address, port)`: the handle of a socket that listens. */
static JSValue host_listen(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  struct address at;
  if (!read_address(context, args[0], args[1], &at)) return JS_EXCEPTION;
  union result result;
  wasi_create_tcp(at.family, &result);
  if (result.failed) return fail(context, result.byte[4]);
  handle socket = result.word[1];
  wasi_start_bind(socket, network(), SPREAD(at), &result);
  bool done = complete(socket, wasi_finish_bind, &result);
  if (done) {
    wasi_start_listen(socket, &result);
    done = complete(socket, wasi_finish_listen, &result);
  }
  if (done) return JS_NewInt32(context, socket);
  wasi_drop_tcp(socket);
  return fail(context, result.byte[1]);
}

/** `tcpConnect(address, port)`: the handle of a socket that is being connected. */
static JSValue host_connect(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  struct address to;
  if (!read_address(context, args[0], args[1], &to)) return JS_EXCEPTION;
  union result result;
  wasi_create_tcp(to.family, &result);
  if (result.failed) return fail(context, result.byte[4]);
  handle socket = result.word[1];
  wasi_start_connect(socket, network(), SPREAD(to), &result);
  if (!result.failed) return JS_NewInt32(context, socket);
  wasi_drop_tcp(socket);
  return fail(context, result.byte[1]);
}

/** `tcpConnected(socket)`: its streams `[input, output]`, or undefined. */
static JSValue host_connected(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle socket;
  if (JS_ToInt32(context, &socket, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_finish_connect(socket, &result);
  if (!result.failed) return numbers(context, &result.word[1], 2);
  return result.byte[4] == WOULD_BLOCK ? JS_UNDEFINED : fail(context, result.byte[4]);
}

/** `tcpAccept(listener)`: `[socket, input, output]`, or undefined. */
static JSValue host_accept(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle socket;
  if (JS_ToInt32(context, &socket, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_accept(socket, &result);
  if (!result.failed) return numbers(context, &result.word[1], 3);
  return result.byte[4] == WOULD_BLOCK ? JS_UNDEFINED : fail(context, result.byte[4]);
}

/** `tcpAddress(socket, remote)`: the port, then the 4 bytes or 8 words of the address. */
static JSValue host_address(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle socket;
  if (JS_ToInt32(context, &socket, args[0])) return JS_EXCEPTION;
  union result result;
  (JS_ToBool(context, args[1]) ? wasi_remote_address : wasi_local_address)(socket, &result);
  if (result.failed) return fail(context, result.byte[4]);
  int32_t parts[9] = {result.half[4]};
  bool wide = result.byte[4] == 1;
  for (int i = 0; i < (wide ? 8 : 4); i++) parts[i + 1] = wide ? result.half[8 + i] : result.byte[10 + i];
  return numbers(context, parts, wide ? 9 : 5);
}

/** `lookup(name)`: the handle of a search for its addresses. */
static JSValue host_lookup(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  size_t length;
  const char *name = JS_ToCStringLen(context, &length, args[0]);
  if (!name) return JS_EXCEPTION;
  union result result;
  wasi_lookup(network(), name, length, &result);
  JS_FreeCString(context, name);
  return result.failed ? fail(context, result.byte[4]) : JS_NewInt32(context, result.word[1]);
}

/** `nextAddress(search)`: 4 bytes or 8 words, null at the end, or undefined. */
static JSValue host_next_address(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle search;
  if (JS_ToInt32(context, &search, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_next_address(search, &result);
  if (result.failed) return result.byte[2] == WOULD_BLOCK ? JS_UNDEFINED : fail(context, result.byte[2]);
  if (!result.byte[2]) return JS_NULL;
  int32_t parts[8];
  bool wide = result.byte[4] == 1;
  for (int i = 0; i < (wide ? 8 : 4); i++) parts[i] = wide ? result.half[3 + i] : result.byte[6 + i];
  return numbers(context, parts, wide ? 8 : 4);
}

/** Throws what a stream failed with. */
static JSValue fail_stream(JSContext *context, handle error) {
  union result text;
  wasi_error_text(error, &text);
  wasi_drop_error(error);
  JSValue thrown = fail_network(context, "stream-failed", (const char *)text.word[0], text.word[1]);
  free_list(text.word[0], text.word[1]);
  return thrown;
}

/** `readStream(input, most)`: bytes, none when there are none yet, null at the end. */
static JSValue host_read(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle stream;
  int64_t most;
  if (JS_ToInt32(context, &stream, args[0]) || JS_ToInt64(context, &most, args[1])) return JS_EXCEPTION;
  union result result;
  wasi_read(stream, most, &result);
  if (result.failed) return result.byte[4] == 0 ? fail_stream(context, result.word[2]) : JS_NULL;
  JSValue bytes = JS_NewUint8ArrayCopy(context, (const uint8_t *)result.word[1], result.word[2]);
  free_list(result.word[1], result.word[2]);
  return bytes;
}

/** `writeStream(output, bytes)`: how many of them were taken. Throws `closed` when nobody reads any more. */
static JSValue host_write(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle stream;
  size_t length;
  if (JS_ToInt32(context, &stream, args[0])) return JS_EXCEPTION;
  const uint8_t *bytes = bytes_of(context, args[1], &length);
  if (!bytes) return JS_EXCEPTION;
  union result result;
  wasi_check_write(stream, &result);
  if (result.failed) {
    return result.byte[8] == 0 ? fail_stream(context, result.word[3]) : fail_network(context, "closed", NULL, 0);
  }
  if (length > result.number[1]) length = result.number[1];
  if (length == 0) return JS_NewInt32(context, 0);
  wasi_write(stream, bytes, length, &result);
  if (!result.failed) wasi_flush(stream, &result);
  if (!result.failed) return JS_NewInt32(context, length);
  return result.byte[4] == 0 ? fail_stream(context, result.word[2]) : fail_network(context, "closed", NULL, 0);
}

/** `shutdownSend(socket)`: the other side sees the end. */
static JSValue host_shutdown(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle socket;
  if (JS_ToInt32(context, &socket, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_shutdown(socket, 1, &result);
  return JS_UNDEFINED; /* a connection that is gone needs no end */
}

/** `drop(kind, handle)`: gives a resource back; what waits for it has to be forgotten first. */
static JSValue host_drop(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  static void (*const drop[])(handle) = {
      [INPUT] = wasi_drop_input,
      [OUTPUT] = wasi_drop_output,
      [TCP] = wasi_drop_tcp,
      [LOOKUP] = wasi_drop_lookup,
      [FUTURE] = wasi_drop_future,
      [INCOMING_BODY] = wasi_drop_incoming_body,
      [OUTGOING_BODY] = wasi_drop_outgoing_body,
      [RESPONSE] = wasi_drop_response,
  };
  int32_t kind, of;
  if (JS_ToInt32(context, &kind, args[0]) || JS_ToInt32(context, &of, args[1])) return JS_EXCEPTION;
  if (kind >= 0 && kind < COUNT(drop)) drop[kind](of);
  return JS_UNDEFINED;
}

static const JSCFunctionListEntry kinds[] = {
    JS_PROP_INT32_DEF("input", INPUT, 0),
    JS_PROP_INT32_DEF("output", OUTPUT, 0),
    JS_PROP_INT32_DEF("tcp", TCP, 0),
    JS_PROP_INT32_DEF("lookup", LOOKUP, 0),
    JS_PROP_INT32_DEF("future", FUTURE, 0),
    JS_PROP_INT32_DEF("incomingBody", INCOMING_BODY, 0),
    JS_PROP_INT32_DEF("outgoingBody", OUTGOING_BODY, 0),
    JS_PROP_INT32_DEF("response", RESPONSE, 0),
};

const JSCFunctionListEntry socket_functions[] = {
    JS_OBJECT_DEF("KIND", kinds, COUNT(kinds), 0),
    FUNCTION("tcpListen", 2, host_listen),       FUNCTION("tcpConnect", 2, host_connect),
    FUNCTION("tcpConnected", 1, host_connected), FUNCTION("tcpAccept", 1, host_accept),
    FUNCTION("tcpAddress", 2, host_address),     FUNCTION("lookup", 1, host_lookup),
    FUNCTION("nextAddress", 1, host_next_address), FUNCTION("readStream", 2, host_read),
    FUNCTION("writeStream", 2, host_write),      FUNCTION("shutdownSend", 1, host_shutdown),
    FUNCTION("drop", 2, host_drop),
};
const int socket_function_count = COUNT(socket_functions);
