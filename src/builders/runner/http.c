/** The functions of `sausage:host` for HTTP, over `wasi:http`; `prelude/fetch.ts` makes `fetch` of them. */
#include "host.h"
#include "wasi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** `error-code` of wasi:http. */
static const char *const CODES[] = {
    "DNS-timeout", "DNS-error", "destination-not-found", "destination-unavailable", "destination-IP-prohibited",
    "destination-IP-unroutable", "connection-refused", "connection-terminated", "connection-timeout",
    "connection-read-timeout", "connection-write-timeout", "connection-limit-reached", "TLS-protocol-error",
    "TLS-certificate-error", "TLS-alert-received", "HTTP-request-denied", "HTTP-request-length-required",
    "HTTP-request-body-size", "HTTP-request-method-invalid", "HTTP-request-URI-invalid", "HTTP-request-URI-too-long",
    "HTTP-request-header-section-size", "HTTP-request-header-size", "HTTP-request-trailer-section-size",
    "HTTP-request-trailer-size", "HTTP-response-incomplete", "HTTP-response-header-section-size",
    "HTTP-response-header-size", "HTTP-response-body-size", "HTTP-response-trailer-section-size",
    "HTTP-response-trailer-size", "HTTP-response-transfer-coding", "HTTP-response-content-coding",
    "HTTP-response-timeout", "HTTP-upgrade-failed", "HTTP-protocol-error", "loop-detected", "configuration-error",
    "internal-error",
};
#define DNS_ERROR 1
#define INTERNAL_ERROR 38

/** Throws an `error-code`, with the text that two of them carry. */
static JSValue fail(JSContext *context, const uint8_t *at) {
  const uint8_t code = at[0];
  const int32_t *payload = (const int32_t *)(at + 8);
  const bool text = (code == DNS_ERROR || code == INTERNAL_ERROR) && (payload[0] & 1);
  const char *name = code < COUNT(CODES) ? CODES[code] : "internal-error";
  return fail_network(context, name, text ? (const char *)payload[1] : NULL, text ? payload[2] : 0);
}

static const char *const METHODS[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};

/** A text for the length of one call. */
struct text {
  const char *bytes;
  size_t length;
};

static struct text text_of(JSContext *context, JSValueConst value) {
  struct text text;
  text.bytes = JS_ToCStringLen(context, &text.length, value);
  return text;
}

/** Header fields of a list that has names and values by turns; -1 with an error thrown. */
static handle fields_of(JSContext *context, JSValueConst list) {
  int64_t length;
  if (JS_GetLength(context, list, &length)) return -1;
  handle fields = wasi_fields();
  for (int64_t i = 0; i + 1 < length; i += 2) {
    JSValue values[] = {JS_GetPropertyUint32(context, list, i), JS_GetPropertyUint32(context, list, i + 1)};
    struct text name = text_of(context, values[0]), value = text_of(context, values[1]);
    union result result;
    wasi_append_field(fields, name.bytes, name.length, value.bytes, value.length, &result);
    if (result.failed) {
      JS_ThrowTypeError(context, "the header %s: %s", name.bytes,
                        result.byte[1] == 1 ? "is set by the host alone" : "has letters that no header may have");
    }
    JS_FreeCString(context, name.bytes);
    JS_FreeCString(context, value.bytes);
    for (int k = 0; k < 2; k++) JS_FreeValue(context, values[k]);
    if (result.failed) {
      wasi_drop_fields(fields);
      return -1;
    }
  }
  return fields;
}

/**
 * `httpSend(method, scheme, authority, path, headers, withBody)`: `[future]`, or `[future, body, output]` with a body.
 * `scheme` is `http` or `https`.
 */
static JSValue host_send(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle fields = fields_of(context, args[4]);
  if (fields < 0) return JS_EXCEPTION;
  handle request = wasi_request(fields);
  struct text method = text_of(context, args[0]), scheme = text_of(context, args[1]);
  struct text authority = text_of(context, args[2]), path = text_of(context, args[3]);
  int which = 0;
  while (which < COUNT(METHODS) && strcmp(METHODS[which], method.bytes) != 0) which++;
  bool wrong = wasi_set_method(request, which, method.bytes, method.length) ||
               wasi_set_scheme(request, 1, strcmp(scheme.bytes, "https") == 0, NULL, 0) ||
               wasi_set_authority(request, 1, authority.bytes, authority.length) ||
               wasi_set_path(request, 1, path.bytes, path.length);
  JS_FreeCString(context, method.bytes);
  JS_FreeCString(context, scheme.bytes);
  JS_FreeCString(context, authority.bytes);
  JS_FreeCString(context, path.bytes);
  if (wrong) {
    wasi_drop_request(request);
    return fail_network(context, "HTTP-request-URI-invalid", NULL, 0);
  }
  union result result;
  handle parts[3];
  bool with_body = JS_ToBool(context, args[5]);
  wasi_request_body(request, &result);
  parts[1] = result.word[1];
  if (with_body) {
    wasi_body_output(parts[1], &result);
    parts[2] = result.word[1];
  } else {
    wasi_finish_body(parts[1], 0, 0, &result);
  }
  wasi_send_request(request, 0, 0, &result);
  if (result.failed) {
    if (with_body) {
      handle output = parts[2];
      wasi_drop_output(output);
      wasi_drop_outgoing_body(parts[1]);
    }
    return fail(context, result.byte + 8);
  }
  parts[0] = result.word[2];
  JSValue list = JS_NewArray(context);
  for (int i = 0; i < (with_body ? 3 : 1); i++) JS_SetPropertyUint32(context, list, i, JS_NewInt32(context, parts[i]));
  return list;
}

/** `httpEndBody(body)`: the body is whole; its output has been dropped. */
static JSValue host_end_body(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle body;
  if (JS_ToInt32(context, &body, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_finish_body(body, 0, 0, &result);
  return result.failed ? fail(context, result.byte + 8) : JS_UNDEFINED;
}

static JSValue headers_of(JSContext *context, handle fields) {
  union result result;
  wasi_field_entries(fields, &result);
  const int32_t *entry = (const int32_t *)result.word[0];
  JSValue list = JS_NewArray(context);
  for (int32_t i = 0; i < result.word[1]; i++, entry += 4) {
    JS_SetPropertyUint32(context, list, i * 2, JS_NewStringLen(context, (const char *)entry[0], entry[1]));
    JS_SetPropertyUint32(context, list, i * 2 + 1, JS_NewStringLen(context, (const char *)entry[2], entry[3]));
    free_list(entry[0], entry[1]);
    free_list(entry[2], entry[3]);
  }
  free_list(result.word[0], result.word[1]);
  wasi_drop_fields(fields);
  return list;
}

/** `httpResponse(future)`: `[status, headers, response, body, input]`, or undefined. */
static JSValue host_response(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  handle future;
  if (JS_ToInt32(context, &future, args[0])) return JS_EXCEPTION;
  union result result;
  wasi_future_get(future, &result);
  if (!result.failed) return JS_UNDEFINED;
  if (result.byte[8]) return JS_ThrowTypeError(context, "the response was taken already");
  if (result.byte[16]) return fail(context, result.byte + 24);
  handle response = result.word[6];
  JSValue list = JS_NewArray(context);
  JS_SetPropertyUint32(context, list, 0, JS_NewInt32(context, wasi_status(response)));
  JS_SetPropertyUint32(context, list, 1, headers_of(context, wasi_response_headers(response)));
  JS_SetPropertyUint32(context, list, 2, JS_NewInt32(context, response));
  wasi_consume(response, &result);
  handle body = result.word[1];
  JS_SetPropertyUint32(context, list, 3, JS_NewInt32(context, body));
  wasi_body_input(body, &result);
  JS_SetPropertyUint32(context, list, 4, JS_NewInt32(context, result.word[1]));
  return list;
}

const JSCFunctionListEntry http_functions[] = {
    FUNCTION("httpSend", 6, host_send),
    FUNCTION("httpEndBody", 1, host_end_body),
    FUNCTION("httpResponse", 1, host_response),
};
const int http_function_count = COUNT(http_functions);
