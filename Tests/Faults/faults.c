// Makes the calls by which a program changes files fail, or kills the program at one of them. Loaded before the C
// library (LD_PRELOAD) into the processes of the tests; Tools/setup builds it.
//
//     MIGRATOR_FAULTS_KILL=n    kills the process before the n-th call, counted from 1, or in the middle of it if n is odd
//                               and the call writes
//     MIGRATOR_FAULTS_FULL=n    makes all writes from the n-th call on fail, as on a full disk
//     MIGRATOR_FAULTS_FAIL=n    makes only the n-th call fail, as on a faulty disk
//     MIGRATOR_FAULTS_KEEP=folder receives a copy of everything written to files, under the files' names with % for /; calls
//                               whose content cannot be copied are listed in a file "unseen"
//     MIGRATOR_FAULTS_TEXT=text logs every write that contains the text, with the file's name
//     MIGRATOR_FAULTS_FREE=n    makes the disk report n free bytes
//     MIGRATOR_FAULTS_LOG=file  receives the name of each call as a line; it is complete only if the process is not killed

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static void note(const char *name) {
  const char *path = getenv("MIGRATOR_FAULTS_LOG");
  if (!path) return;
  // Use the kernel's calls directly, which are not counted.
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  char line[640];
  int length = snprintf(line, sizeof line, "%s\n", name);
  if (file >= 0) (void)!syscall(SYS_write, file, line, (size_t)length);
  if (file >= 0) syscall(SYS_close, file);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void look_for_text(int file, const void *bytes, size_t size) {
  const char *text = getenv("MIGRATOR_FAULTS_TEXT");
  if (!text || !memmem(bytes, size, text, strlen(text))) return;
  char link[64], name[512], line[600];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, sizeof name - 1);
  snprintf(line, sizeof line, "text in %.*s", (int)(length < 0 ? 0 : length), name);
  note(line);
}

// Appends to a file in the folder of copies, using the kernel's calls directly.
static void keep(const char *name, const void *bytes, size_t size) {
  const char *folder = getenv("MIGRATOR_FAULTS_KEEP");
  if (!folder) return;
  char path[1200];
  int length = snprintf(path, sizeof path, "%s/", folder);
  for (; *name && length < (int)sizeof path - 1; name++) path[length++] = *name == '/' ? '%' : *name;
  path[length] = 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) (void)!syscall(SYS_write, file, bytes, size);
  if (file >= 0) syscall(SYS_close, file);
}

static void keep_written(int file, const void *bytes, size_t size) {
  if (!getenv("MIGRATOR_FAULTS_KEEP")) return;
  char link[64], name[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, sizeof name - 1);
  name[length < 0 ? 0 : length] = 0;
  keep(name, bytes, size);
}

enum verdict { GO_ON, IS_LAST, IS_FULL, FAILS };

// Counts a call and decides its outcome. A full disk does not affect calls that only free space or remove files.
static enum verdict count(const char *name, int needs_room) {
  long number = atomic_fetch_add(&calls, 1) + 1;
  note(name);
  if (number == setting("MIGRATOR_FAULTS_KILL")) {
    if (!(needs_room && number % 2)) die();
    return IS_LAST;
  }
  if (number == setting("MIGRATOR_FAULTS_FAIL")) return FAILS;
  long full = setting("MIGRATOR_FAULTS_FULL");
  return full && number >= full && needs_room ? IS_FULL : GO_ON;
}

static int is_file(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITES(name, parameters, arguments, half) \
  ssize_t name parameters { \
    if (is_file(file)) { \
      enum verdict verdict = count(#name, 1); \
      if (verdict == IS_FULL) return errno = ENOSPC, -1; \
      if (verdict == FAILS) return errno = EIO, -1; \
      look_for_text(file, bytes, size); \
      keep_written(file, bytes, size); \
      if (verdict == IS_LAST) (void)!REAL(name) half, die(); \
    } \
    return REAL(name) arguments; \
  }

WRITES(write, (int file, const void *bytes, size_t size), (file, bytes, size), (file, bytes, size / 2))
WRITES(pwrite, (int file, const void *bytes, size_t size, off_t offset), (file, bytes, size, offset),
       (file, bytes, size / 2, offset))
WRITES(pwrite64, (int file, const void *bytes, size_t size, off64_t offset), (file, bytes, size, offset),
       (file, bytes, size / 2, offset))

// Nothing here writes with these calls; their content would not be recorded.
#define UNSEEN(name, parameters, arguments, file) \
  ssize_t name parameters { \
    if (is_file(file)) keep("unseen", #name "\n", sizeof #name); \
    return REAL(name) arguments; \
  }

UNSEEN(writev, (int file, const struct iovec *parts, int count), (file, parts, count), file)
UNSEEN(pwritev, (int file, const struct iovec *parts, int count, off_t offset), (file, parts, count, offset), file)
UNSEEN(sendfile, (int file, int from, off_t *offset, size_t size), (file, from, offset, size), file)
UNSEEN(copy_file_range, (int from, off64_t *start, int file, off64_t *offset, size_t size, unsigned flags),
       (from, start, file, offset, size, flags), file)

#define CHANGES(name, parameters, arguments) \
  int name parameters { \
    if (count(#name, 0) == FAILS) return errno = EIO, -1; \
    return REAL(name) arguments; \
  }

CHANGES(fsync, (int file), (file))
CHANGES(fdatasync, (int file), (file))
CHANGES(ftruncate, (int file, off_t size), (file, size))
CHANGES(ftruncate64, (int file, off64_t size), (file, size))
CHANGES(rename, (const char *from, const char *to), (from, to))
CHANGES(link, (const char *from, const char *to), (from, to))
CHANGES(unlink, (const char *path), (path))
CHANGES(fchmod, (int file, mode_t mode), (file, mode))

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    if (flags & O_CREAT && access(path, F_OK) && count(#name, 0) == FAILS) return errno = EIO, -1; \
    return REAL(name)(path, flags, mode); \
  }

OPENS(open)
OPENS(open64)

#define REPORTS(name, type) \
  int name(const char *path, struct type *status) { \
    int result = REAL(name)(path, status); \
    if (!result && getenv("MIGRATOR_FAULTS_FREE")) \
      status->f_bavail = (fsblkcnt_t)setting("MIGRATOR_FAULTS_FREE") / status->f_frsize; \
    return result; \
  }

REPORTS(statvfs, statvfs)
REPORTS(statvfs64, statvfs64)
