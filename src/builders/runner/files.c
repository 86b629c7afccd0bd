/** The functions of `sausage:host` for files; `prelude` and the SDK give them their usual names and errors. */
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME(n) {#n, n}
static const struct {
  const char *name;
  int number;
} CODES[] = {
    NAME(EACCES), NAME(EBADF), NAME(EBUSY), NAME(EEXIST), NAME(EFBIG), NAME(EINVAL), NAME(EIO), NAME(EISDIR),
    NAME(ELOOP), NAME(EMFILE), NAME(EMLINK), NAME(ENAMETOOLONG), NAME(ENOENT), NAME(ENOSPC), NAME(ENOTDIR),
    NAME(ENOTEMPTY), NAME(ENOTSUP), NAME(EPERM), NAME(EROFS), NAME(ETXTBSY), NAME(EXDEV), NAME(ENOTCAPABLE),
};

/** Throws an Error with `code` (`ENOENT`) and `path`. */
static JSValue fail(JSContext *context, const char *path) {
  int number = errno;
  char message[512];
  snprintf(message, sizeof message, "%s%s%s", path ? path : "", path ? ": " : "", strerror(number));
  JSValue error = JS_NewError(context);
  JS_DefinePropertyValueStr(context, error, "message", JS_NewString(context, message), JS_PROP_C_W_E);
  for (int i = 0; i < COUNT(CODES); i++) {
    if (CODES[i].number == number) {
      JS_DefinePropertyValueStr(context, error, "code", JS_NewString(context, CODES[i].name), JS_PROP_C_W_E);
    }
  }
  if (path) JS_DefinePropertyValueStr(context, error, "path", JS_NewString(context, path), JS_PROP_C_W_E);
  return JS_Throw(context, error);
}

/** Runs a call that takes one path, or two, and answers nothing. */
#define WITH_PATH(name, expression)                                                              \
  static JSValue name(JSContext *context, JSValueConst self, int count, JSValueConst *args) {    \
    const char *path = JS_ToCString(context, args[0]);                                           \
    if (!path) return JS_EXCEPTION;                                                              \
    JSValue result = (expression) < 0 ? fail(context, path) : JS_UNDEFINED;                      \
    JS_FreeCString(context, path);                                                               \
    return result;                                                                               \
  }
#define WITH_PATHS(name, expression)                                                             \
  static JSValue name(JSContext *context, JSValueConst self, int count, JSValueConst *args) {    \
    const char *path = JS_ToCString(context, args[0]);                                           \
    const char *other = path ? JS_ToCString(context, args[1]) : NULL;                            \
    JSValue result = !other ? JS_EXCEPTION : (expression) < 0 ? fail(context, path) : JS_UNDEFINED; \
    JS_FreeCString(context, path);                                                               \
    JS_FreeCString(context, other);                                                              \
    return result;                                                                               \
  }

WITH_PATH(host_mkdir, mkdir(path, 0777))
WITH_PATH(host_rmdir, rmdir(path))
WITH_PATH(host_unlink, unlink(path))
WITH_PATHS(host_rename, rename(path, other))
WITH_PATHS(host_link, link(path, other))
WITH_PATHS(host_symlink, symlink(path, other))

static JSValue host_read_link(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  const char *path = JS_ToCString(context, args[0]);
  if (!path) return JS_EXCEPTION;
  char target[4096];
  ssize_t length = readlink(path, target, sizeof target);
  JSValue result = length < 0 ? fail(context, path) : JS_NewStringLen(context, target, length);
  JS_FreeCString(context, path);
  return result;
}

static const char *kind_of(mode_t mode) { return S_ISDIR(mode) ? "directory" : S_ISLNK(mode) ? "link" : "file"; }

static JSValue describe(JSContext *context, const struct stat *found) {
  JSValue result = JS_NewObject(context);
  JS_SetPropertyStr(context, result, "kind", JS_NewString(context, kind_of(found->st_mode)));
  JS_SetPropertyStr(context, result, "size", JS_NewInt64(context, found->st_size));
  JS_SetPropertyStr(context, result, "links", JS_NewInt64(context, found->st_nlink));
  double modified = found->st_mtim.tv_sec * 1e3 + found->st_mtim.tv_nsec / 1e6;
  JS_SetPropertyStr(context, result, "modified", JS_NewFloat64(context, modified));
  return result;
}

/** stat(path, followLinks) */
static JSValue host_stat(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  const char *path = JS_ToCString(context, args[0]);
  if (!path) return JS_EXCEPTION;
  struct stat found;
  int failed = JS_ToBool(context, args[1]) ? stat(path, &found) : lstat(path, &found);
  JSValue result = failed ? fail(context, path) : describe(context, &found);
  JS_FreeCString(context, path);
  return result;
}

/** readDir(path): [name, kind, name, kind, …] */
static JSValue host_read_dir(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  const char *path = JS_ToCString(context, args[0]);
  if (!path) return JS_EXCEPTION;
  DIR *directory = opendir(path);
  if (!directory) {
    JSValue failed = fail(context, path);
    JS_FreeCString(context, path);
    return failed;
  }
  JSValue list = JS_NewArray(context);
  uint32_t at = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const char *kind = entry->d_type == DT_DIR ? "directory" : entry->d_type == DT_LNK ? "link" : "file";
    JS_SetPropertyUint32(context, list, at++, JS_NewString(context, entry->d_name));
    JS_SetPropertyUint32(context, list, at++, JS_NewString(context, kind));
  }
  closedir(directory);
  JS_FreeCString(context, path);
  return list;
}

/** open(path, flags): a descriptor. Flags: r read, w write, c create, x only new, t cut to nothing, a append. */
static JSValue host_open(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  const char *path = JS_ToCString(context, args[0]);
  const char *letters = path ? JS_ToCString(context, args[1]) : NULL;
  if (!letters) return JS_EXCEPTION;
  bool read = strchr(letters, 'r'), write = strchr(letters, 'w') || strchr(letters, 'a');
  int flags = read && write ? O_RDWR : write ? O_WRONLY : O_RDONLY;
  if (strchr(letters, 'c')) flags |= O_CREAT;
  if (strchr(letters, 'x')) flags |= O_EXCL;
  if (strchr(letters, 't')) flags |= O_TRUNC;
  if (strchr(letters, 'a')) flags |= O_APPEND;
  int fd = open(path, flags, 0666);
  JSValue result = fd < 0 ? fail(context, path) : JS_NewInt32(context, fd);
  JS_FreeCString(context, letters);
  JS_FreeCString(context, path);
  return result;
}

static JSValue host_close(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t fd;
  if (JS_ToInt32(context, &fd, args[0])) return JS_EXCEPTION;
  return fd > 2 && close(fd) < 0 ? fail(context, NULL) : JS_UNDEFINED;
}

/** read(fd, view, offset): how many bytes; from the current place when the offset is negative. */
static JSValue transfer(JSContext *context, JSValueConst *args, bool writes) {
  int32_t fd;
  int64_t offset;
  size_t length;
  if (JS_ToInt32(context, &fd, args[0]) || JS_ToInt64(context, &offset, args[2])) return JS_EXCEPTION;
  uint8_t *bytes = bytes_of(context, args[1], &length);
  if (!bytes && length > 0) return JS_EXCEPTION;
  size_t done = 0;
  while (done < length) {
    ssize_t part;
    if (writes) {
      part = offset < 0 ? write(fd, bytes + done, length - done) : pwrite(fd, bytes + done, length - done, offset + done);
    } else {
      part = offset < 0 ? read(fd, bytes + done, length - done) : pread(fd, bytes + done, length - done, offset + done);
    }
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return fail(context, NULL);
    if (part == 0) break;
    done += part;
  }
  return JS_NewInt64(context, done);
}

static JSValue host_read(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return transfer(context, args, false);
}

static JSValue host_write_file(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  return transfer(context, args, true);
}

static JSValue host_size(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t fd;
  struct stat found;
  if (JS_ToInt32(context, &fd, args[0])) return JS_EXCEPTION;
  return fstat(fd, &found) < 0 ? fail(context, NULL) : JS_NewInt64(context, found.st_size);
}

static JSValue host_set_size(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t fd;
  int64_t size;
  if (JS_ToInt32(context, &fd, args[0]) || JS_ToInt64(context, &size, args[1])) return JS_EXCEPTION;
  return ftruncate(fd, size) < 0 ? fail(context, NULL) : JS_UNDEFINED;
}

static JSValue host_sync(JSContext *context, JSValueConst self, int count, JSValueConst *args) {
  int32_t fd;
  if (JS_ToInt32(context, &fd, args[0])) return JS_EXCEPTION;
  return fsync(fd) < 0 ? fail(context, NULL) : JS_UNDEFINED;
}

const JSCFunctionListEntry file_functions[] = {
    FUNCTION("mkdir", 1, host_mkdir),       FUNCTION("rmdir", 1, host_rmdir),     FUNCTION("unlink", 1, host_unlink),
    FUNCTION("rename", 2, host_rename),     FUNCTION("link", 2, host_link),       FUNCTION("symlink", 2, host_symlink),
    FUNCTION("readLink", 1, host_read_link), FUNCTION("stat", 2, host_stat),      FUNCTION("readDir", 1, host_read_dir),
    FUNCTION("open", 2, host_open),         FUNCTION("close", 1, host_close),     FUNCTION("read", 3, host_read),
    FUNCTION("writeFile", 3, host_write_file), FUNCTION("size", 1, host_size),    FUNCTION("setSize", 2, host_set_size),
    FUNCTION("sync", 1, host_sync),
};
const int file_function_count = COUNT(file_functions);
