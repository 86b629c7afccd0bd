/* A program of the C library: files through stdio and through descriptors, folders, links. Each step prints its outcome. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[70000];

static void told(const char *what, long value) {
  printf("%s: %ld%s%s\n", what, value, value < 0 ? " " : "", value < 0 ? strerror(errno) : "");
  errno = 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

static void list(const char *path) {
  DIR *folder = opendir(path);
  char *names[100];
  int count = 0;
  if (!folder) return told(path, -1);
  for (struct dirent *entry; (entry = readdir(folder)) && count < 100;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(buffer, sizeof buffer, "%s%s", entry->d_name,
             entry->d_type == DT_DIR ? "/" : entry->d_type == DT_LNK ? "@" : "");
    names[count++] = strdup(buffer);
  }
  closedir(folder);
  qsort(names, count, sizeof *names, by_name);
  printf("list %s:", path);
  for (int i = 0; i < count; i++) printf(" %s", names[i]);
  printf("\n");
}

static void lines(const char *path) {
  FILE *file = fopen(path, "r");
  int count = 0;
  long sum = 0;
  if (!file) return told(path, -1);
  while (fgets(buffer, sizeof buffer, file)) {
    int number;
    if (sscanf(buffer, "line %d", &number) == 1) sum += number;
    count++;
  }
  printf("%s: %d lines, sum %ld, end %d\n", path, count, sum, feof(file) != 0);
  fclose(file);
}

static void stdio(void) {
  FILE *file = fopen("/work/lines", "w");
  for (int i = 0; i < 20000; i++) fprintf(file, "line %d\n", i);
  told("position", ftell(file));
  told("close", fclose(file));
  lines("/work/lines");

  file = fopen("/work/lines", "r+");
  told("seek", fseek(file, 5, SEEK_SET));
  told("put", fputs("7", file) >= 0 ? 0 : -1);
  told("seek from the end", fseek(file, -6, SEEK_END));
  told("get", fgetc(file));
  ungetc('x', file);
  told("get again", fgetc(file));
  fclose(file);
  lines("/work/lines");

  file = fopen("/work/lines", "a+");
  fprintf(file, "line 1000000\n");
  rewind(file);
  told("first", fgetc(file));
  fclose(file);
  lines("/work/lines");

  told("exclusive", fopen("/work/lines", "wx") ? 0 : -1);
  told("missing", fopen("/work/none", "r") ? 0 : -1);
  file = fopen("/work/sparse", "w+");
  fseek(file, 100000, SEEK_SET);
  fputc('!', file);
  rewind(file);
  size_t got = fread(buffer, 1, sizeof buffer, file);
  int zeros = 1;
  for (size_t i = 0; i < got; i++) zeros &= buffer[i] == 0;
  printf("sparse: %zu read, zeros %d\n", got, zeros);
  fclose(file);
  file = freopen("/work/lines", "r", fopen("/work/sparse", "r"));
  told("reopened", file ? fgetc(file) : -1);
  fclose(file);
}

static void descriptors(void) {
  int fd = open("/work/data", O_RDWR | O_CREAT | O_TRUNC, 0644);
  memset(buffer, 'a', sizeof buffer);
  told("write", write(fd, buffer, sizeof buffer));
  told("pwrite", pwrite(fd, "middle", 6, 30000));
  told("pread", pread(fd, buffer, 8, 29999));
  printf("%.8s\n", buffer);
  told("lseek", lseek(fd, 0, SEEK_CUR));
  told("hole", lseek(fd, 10, SEEK_END));
  told("write beyond", write(fd, "end", 3));
  struct stat data;
  told("fstat", fstat(fd, &data));
  printf("size %lld, kind %d, links %ld\n", (long long)data.st_size, S_ISREG(data.st_mode), (long)data.st_nlink);
  told("truncate", ftruncate(fd, 5));
  told("fstat", fstat(fd, &data));
  told("size", data.st_size);
  told("sync", fsync(fd));
  told("data sync", fdatasync(fd));
  told("read at the end", pread(fd, buffer, 10, 5));
  told("unlink", unlink("/work/data"));
  told("still there", pread(fd, buffer, 10, 0));
  told("close", close(fd));
  told("close again", close(fd));
  told("read closed", read(fd, buffer, 1));
  told("folder for writing", open("/work", O_WRONLY));
  told("file as a folder", open("/work/lines", O_RDONLY | O_DIRECTORY));
  fd = open("/work/appended", O_WRONLY | O_CREAT | O_APPEND, 0644);
  int other = open("/work/appended", O_WRONLY | O_APPEND);
  for (int i = 0; i < 5; i++) {
    write(fd, "a", 1);
    write(other, "b", 1);
  }
  close(fd);
  close(other);
  fd = open("/work/appended", O_RDONLY);
  memset(buffer, 0, 20);
  told("appended", read(fd, buffer, 20));
  printf("%s\n", buffer);
  close(fd);
}

static void names(void) {
  told("mkdir", mkdir("/work/dir", 0755));
  told("mkdir again", mkdir("/work/dir", 0755));
  told("rmdir", rmdir("/work/dir"));
  told("rmdir again", rmdir("/work/dir"));
  told("mkdir below a file", mkdir("/work/lines/dir", 0755));
  told("mkdir", mkdir("/work/dir", 0755));
  told("rename", rename("/work/sparse", "/work/dir/moved"));
  told("rmdir full", rmdir("/work/dir"));
  told("rename a folder", rename("/work/dir", "/work/folder"));
  told("link", link("/work/folder/moved", "/work/second"));
  told("symlink", symlink("folder/moved", "/work/soft"));
  struct stat data;
  told("stat", stat("/work/soft", &data));
  printf("size %lld, links %ld\n", (long long)data.st_size, (long)data.st_nlink);
  told("lstat", lstat("/work/soft", &data));
  told("a link", S_ISLNK(data.st_mode));
  memset(buffer, 0, 50);
  told("readlink", readlink("/work/soft", buffer, 50));
  printf("%s\n", buffer);
  told("access", access("/work/soft", R_OK));
  told("access of none", access("/work/none", F_OK));
  told("remove", remove("/work/folder/moved"));
  told("dangling", open("/work/soft", O_RDONLY));
  told("the other name", stat("/work/second", &data));
  told("links", data.st_nlink);
  list("/work");
  list("/work/folder");
}

int main(int argc, char **argv) {
  printf("%d %s\n", argc, argc > 1 ? argv[1] : "");
  told("mkdir", mkdir("/work", 0755));
  stdio();
  descriptors();
  names();
  int count = 0;
  for (int c; (c = getchar()) != EOF;) count += c == '\n';
  printf("%d lines of stdin\n", count);
  fprintf(stderr, "to stderr\n");
  return 3;
}
