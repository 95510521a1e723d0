/*
 * A disk that forgets: whenever a file under LULL_DISK was synced, what it held then is kept in LULL_KEPT
 * under its name. After a power cut nothing else is certain to be there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Through the caller's own descriptor: closing another one of the same file would drop SQLite's locks. */
static void copy(int fd, const char *to) {
  char bytes[65536], part[4200];
  snprintf(part, sizeof part, "%s.part", to);
  int out = open(part, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (out < 0) abort();
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
    if (write(out, bytes, n) != n) abort();
  close(out);
  if (rename(part, to) != 0) abort();
}

static void keep(int fd) {
  char link[64], path[4096], name[4200];
  const char *disk = getenv("LULL_DISK"), *kept = getenv("LULL_KEPT");
  struct stat file;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (disk == NULL || kept == NULL || length < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return;
  path[length] = 0;
  if (strncmp(path, disk, strlen(disk)) != 0) return;
  /* One after the other: an older copy must not take the place of a newer one. */
  snprintf(name, sizeof name, "%s/lock", kept);
  // Not for children: a worker that is forked meanwhile would hold it for ever.
  int lock = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) abort();
  snprintf(name, sizeof name, "%s/%s", kept, strrchr(path, '/') + 1);
  copy(fd, name);
  /* For who counts: a line for each. */
  snprintf(name, sizeof name, "%s/syncs", kept);
  int syncs = open(name, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (syncs < 0 || dprintf(syncs, "%s\n", strrchr(path, '/') + 1) < 0) abort();
  close(syncs);
  close(lock);
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
