/**
 * The main program: an event loop around QuickJS. Promise jobs always run first; the program waits only when none is
 * left, and ends when it waits for nothing.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Bytecode of `prelude/`, made by the build: `{name, bytes, length}` each, the first of which always runs. */
struct part {
  const char *name;
  const uint8_t *bytes;
  size_t length;
};
#include "prelude.h"

/**
 * Found by its magic and filled by the build. The program itself, code, a zero byte and source map, is a passive data
 * segment, the last of the module: it costs memory only where it is copied to. Code that begins with a zero byte is
 * bytecode, else it is source.
 */
struct slot {
  char magic[16];
  uint32_t code, map;
};
__attribute__((used)) volatile struct slot SLOT = {"SAUSAGE-JS-SLOT", 0, 0};

/** Copies the program to `to`. The linker makes two segments, so it is the one of number 2. */
static void copy_program(uint8_t *to, uint32_t length) {
  __asm__ volatile("local.get %0\ni32.const 0\nlocal.get %1\nmemory.init 2, 0" : : "r"(to), "r"(length) : "memory");
}

static uint8_t *program;

/**
 * Beyond this a recursion throws a RangeError. It is four fifths of the stack that Chromium gives a worker: the functions
 * of QuickJS that recurse are compiled to take as much of this stack as of that one (`ROOMS` in scripts/runner.mjs).
 */
#define STACK_BYTES (400 * 1024)
/** A short program never collects cycles. */
#define FIRST_COLLECTION (4 << 20)

/** Promises that were rejected and have no handler, each with its reason behind it. */
static JSValue *rejections;
static size_t rejection_count, rejection_room;

static void track_rejection(JSContext *context, JSValueConst promise, JSValueConst reason, bool handled, void *opaque) {
  if (handled) {
    for (size_t i = 0; i < rejection_count; i += 2) {
      if (!JS_IsStrictEqual(context, promise, rejections[i])) continue;
      JS_FreeValue(context, rejections[i]);
      JS_FreeValue(context, rejections[i + 1]);
      rejection_count -= 2;
      memmove(rejections + i, rejections + i + 2, (rejection_count - i) * sizeof *rejections);
      return;
    }
  } else {
    if (rejection_count == rejection_room) {
      rejection_room = rejection_room ? rejection_room * 2 : 16;
      rejections = realloc(rejections, rejection_room * sizeof *rejections);
    }
    rejections[rejection_count++] = JS_DupValue(context, promise);
    rejections[rejection_count++] = JS_DupValue(context, reason);
  }
}

static void run_jobs(JSRuntime *runtime) {
  JSContext *context;
  int left;
  while ((left = JS_ExecutePendingJob(runtime, &context)) != 0) {
    if (left < 0) report_uncaught(context, JS_GetException(context));
  }
}

static JSModuleDef *no_such_module(JSContext *context, const char *name, void *opaque) {
  JS_ThrowReferenceError(context, "there is no module %s: a plugin is one bundle", name);
  return NULL;
}

/** The parts of `sausage:host`. */
static const struct {
  const JSCFunctionListEntry *functions;
  const int *count;
} HOST[] = {
    {wait_functions, &wait_function_count},     {stream_functions, &stream_function_count},
    {text_functions, &text_function_count},     {file_functions, &file_function_count},
    {socket_functions, &socket_function_count}, {http_functions, &http_function_count},
};

static int fill_host(JSContext *context, JSModuleDef *module) {
  for (int i = 0; i < COUNT(HOST); i++) {
    if (JS_SetModuleExportList(context, module, HOST[i].functions, *HOST[i].count)) return -1;
  }
  return 0;
}

/** Compiles source, or reads bytecode, of a module. */
static JSValue module_of(JSContext *context, const uint8_t *code, size_t length, const char *name) {
  if (length > 0 && code[0] == 0) {
    JSValue module = JS_ReadObject(context, code + 1, length - 1, JS_READ_OBJ_BYTECODE);
    if (!JS_IsException(module) && JS_ResolveModule(context, module) < 0) {
      JS_FreeValue(context, module);
      return JS_EXCEPTION;
    }
    return module;
  }
  return JS_Eval(context, (const char *)code, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
}

/** Starts a module; what it awaits at its top level goes on in the event loop. */
static bool start(JSContext *context, const uint8_t *code, size_t length, const char *name) {
  JSValue module = module_of(context, code, length, name);
  JSValue promise = JS_IsException(module) ? module : JS_EvalFunction(context, module);
  if (JS_IsException(promise)) {
    report_uncaught(context, JS_GetException(context));
    return false;
  }
  JS_FreeValue(context, promise); /* a rejection is tracked like any other */
  return true;
}

static JSValue source_map(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return JS_NewStringLen(context, (const char *)program + SLOT.code + 1, SLOT.map);
}

static JSValue load_part(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  const char *name = JS_ToCString(context, args[0]);
  if (!name) return JS_EXCEPTION;
  for (int i = 0; i < COUNT(PARTS); i++) {
    if (strcmp(PARTS[i].name, name) == 0) start(context, PARTS[i].bytes, PARTS[i].length, "prelude");
  }
  JS_FreeCString(context, name);
  return JS_UNDEFINED;
}

static const JSCFunctionListEntry slot_functions[] = {
    FUNCTION("sourceMap", 0, source_map),
    FUNCTION("load", 1, load_part),
};

static int fill_slot(JSContext *context, JSModuleDef *module) {
  return JS_SetModuleExportList(context, module, slot_functions, COUNT(slot_functions));
}

static void add_host(JSContext *context) {
  JSModuleDef *host = JS_NewCModule(context, "sausage:host", fill_host);
  for (int i = 0; i < COUNT(HOST); i++) JS_AddModuleExportList(context, host, HOST[i].functions, *HOST[i].count);
  JSModuleDef *slot = JS_NewCModule(context, "sausage:slot", fill_slot);
  JS_AddModuleExportList(context, slot, slot_functions, COUNT(slot_functions));
}

/** `--compile`: source of a module on stdin, bytecode on stdout. */
static int compile(JSContext *context, const char *name) {
  size_t length = 0, capacity = 1 << 16;
  char *source = malloc(capacity + 1);
  for (size_t count; (count = fread(source + length, 1, capacity - length, stdin)) > 0;) {
    length += count;
    if (length == capacity) source = realloc(source, (capacity *= 2) + 1);
  }
  source[length] = 0;
  JSValue module = JS_Eval(context, source, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(module)) {
    report_uncaught(context, JS_GetException(context));
    return 1;
  }
  size_t size;
  uint8_t *bytes = JS_WriteObject(context, &size, module, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
  if (!bytes) return 1;
  write_all(1, "", 1);
  write_all(1, (const char *)bytes, size);
  return 0;
}

int main(int count, char **args) {
  JSRuntime *runtime = JS_NewRuntime();
  JS_SetMaxStackSize(runtime, STACK_BYTES);
  JS_SetGCThreshold(runtime, FIRST_COLLECTION);
  JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
  JS_SetModuleLoaderFunc(runtime, NULL, no_such_module, NULL);
  JSContext *context = JS_NewContext(runtime);
  JS_AddIntrinsicBigInt(context);
  JS_AddIntrinsicDOMException(context);
  add_host(context);
  if (count == 3 && strcmp(args[1], "--compile") == 0) return compile(context, args[2]);
  if (SLOT.code == 0 || PARTS[0].length == 0) {
    fputs("this runner has no program in it\n", stderr);
    return 1;
  }
  if (!start(context, PARTS[0].bytes, PARTS[0].length, "prelude")) return 1;
  run_jobs(runtime);
  uint32_t length = SLOT.code + 1 + SLOT.map;
  program = malloc(length);
  copy_program(program, length);
  if (!start(context, program, SLOT.code, "bundle.js")) return 1;
  do {
    run_jobs(runtime);
    /* no handler came by the time all jobs have run */
    if (rejection_count > 0) report_uncaught(context, rejections[1]);
  } while (JS_IsJobPending(runtime) || wake(context));
  return 0; /* the end of the process frees everything at once */
}

/**
 * The preview 1 adapter takes its memory through this. Without it the adapter grows the memory itself, and Debian's
 * wasi-libc, which is of 2022, then takes all memory that it finds at its first allocation for its heap.
 */
__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  if (size == 0) return (void *)align;
  void *at = old_size == 0 ? aligned_alloc(align < 8 ? 8 : align, (size + 7) & ~(size_t)7) : realloc(old, size);
  if (!at) __builtin_trap();
  return at;
}
