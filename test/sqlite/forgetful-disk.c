/*
 * A disk that forgets: whenever a file under LULL_DISK was synced, what it held then is kept beside it as <file>.synced.
 * After a power cut nothing else is certain to be there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep(int fd) {
  char link[64], path[4096], part[4200], kept[4200], bytes[65536];
  const char *disk = getenv("LULL_DISK");
  struct stat file;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (disk == NULL || length < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return;
  path[length] = 0;
  if (strncmp(path, disk, strlen(disk)) != 0) return;
  snprintf(part, sizeof part, "%s.synced-%d", path, (int)gettid());
  snprintf(kept, sizeof kept, "%s.synced", path);
  int out = open(part, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (out < 0) return;
  /* Through the caller's own descriptor: closing another one of the same file would drop SQLite's locks on it. */
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
    if (write(out, bytes, n) != n) abort();
  close(out);
  if (rename(part, kept) != 0) abort();
}

#define SYNC(name)                                       \
  int name(int fd) {                                     \
    static int (*real)(int);                             \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name);    \
    int result = real(fd);                               \
    if (result == 0) keep(fd);                           \
    return result;                                       \
  }

SYNC(fsync)
SYNC(fdatasync)
