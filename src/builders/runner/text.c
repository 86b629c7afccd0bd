/** The functions of `sausage:host` for bytes, text and random numbers. */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint8_t *bytes_of(JSContext *context, JSValueConst value, size_t *length) {
  if (JS_IsArrayBuffer(value)) return JS_GetArrayBuffer(context, length, value);
  size_t offset, view, unit, whole;
  JSValue buffer = JS_GetTypedArrayBuffer(context, value, &offset, &view, &unit);
  if (JS_IsException(buffer)) return NULL;
  uint8_t *bytes = JS_GetArrayBuffer(context, &whole, buffer);
  JS_FreeValue(context, buffer); /* the view holds it */
  *length = view;
  return bytes ? bytes + offset : NULL;
}

static JSValue host_encode(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  size_t length;
  const char *text = JS_ToCStringLen(context, &length, args[0]);
  if (!text) return JS_EXCEPTION;
  JSValue bytes = JS_NewUint8ArrayCopy(context, (const uint8_t *)text, length);
  JS_FreeCString(context, text);
  return bytes;
}

/**
 * The length of the character at `at`, or minus the number of bytes that a decoder replaces by one U+FFFD. Zero when the
 * bytes end in the middle of a character that may still become one.
 */
static int character(const uint8_t *at, const uint8_t *end) {
  uint8_t first = at[0];
  if (first < 0x80) return 1;
  int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return -1;
  for (int i = 1; i < length; i++) {
    if (at + i == end) return 0;
    uint8_t low = 0x80, high = 0xbf;
    if (i == 1 && first == 0xe0) low = 0xa0;
    if (i == 1 && first == 0xed) high = 0x9f;
    if (i == 1 && first == 0xf0) low = 0x90;
    if (i == 1 && first == 0xf4) high = 0x8f;
    if (at[i] < low || at[i] > high) return -i;
  }
  return length;
}

/** decode(bytes, fatal, stream): [text, rest]; `rest` is how many bytes at the end are an unfinished character. */
static JSValue host_decode(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  size_t length;
  const uint8_t *bytes = bytes_of(context, args[0], &length);
  if (!bytes && length > 0) return JS_EXCEPTION;
  bool fatal = JS_ToBool(context, args[1]), stream = JS_ToBool(context, args[2]);
  const uint8_t *end = bytes + length, *at = bytes;
  char *text = malloc(length * 3 + 1), *to = text;
  size_t rest = 0;
  while (at < end) {
    int size = character(at, end);
    if (size == 0 && stream) {
      rest = end - at;
      break;
    }
    if (size > 0) {
      memcpy(to, at, size);
      to += size;
      at += size;
      continue;
    }
    if (fatal) {
      free(text);
      return JS_ThrowTypeError(context, "the bytes are not UTF-8");
    }
    memcpy(to, "\xef\xbf\xbd", 3);
    to += 3;
    at += size == 0 ? end - at : -size;
  }
  JSValue pair = JS_NewArray(context);
  JS_SetPropertyUint32(context, pair, 0, JS_NewStringLen(context, text, to - text));
  JS_SetPropertyUint32(context, pair, 1, JS_NewInt64(context, rest));
  free(text);
  return pair;
}

static JSValue host_random(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  size_t length;
  uint8_t *bytes = bytes_of(context, args[0], &length);
  if (!bytes && length > 0) return JS_EXCEPTION;
  for (size_t at = 0; at < length; at += 256) {
    size_t part = length - at < 256 ? length - at : 256;
    if (getentropy(bytes + at, part) != 0) return JS_ThrowInternalError(context, "there are no random numbers");
  }
  return JS_UNDEFINED;
}

const JSCFunctionListEntry text_functions[] = {
    FUNCTION("encodeUtf8", 1, host_encode),
    FUNCTION("decodeUtf8", 3, host_decode),
    FUNCTION("random", 1, host_random),
};
const int text_function_count = COUNT(text_functions);
