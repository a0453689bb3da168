// Makes the calls by which a program changes files fail, or kills the program at one of them. Loaded before the C
// library (LD_PRELOAD) into the processes of the tests; Tools/setup builds it.
//
//     MIGRATOR_FAULTS_KILL=n    kills the process before the n-th call, counted from 1, or in the middle of it if n is odd
//                               and the call writes
//     MIGRATOR_FAULTS_KILL_NAME=name kills the process before its first call of that name, however many it made before
//     MIGRATOR_FAULTS_FULL=n    makes all writes from the n-th call on fail, as on a full disk
//     MIGRATOR_FAULTS_FAIL=n    makes only the n-th call fail, as on a faulty disk
//     MIGRATOR_FAULTS_KEEP=folder receives a copy of everything written to files, under the files' names with % for /; calls
//                               whose content cannot be copied are listed in a file "unseen"
//     MIGRATOR_FAULTS_TEXT=text logs every write that contains the text, with the file's name
//     MIGRATOR_FAULTS_RECORD=file, which exists, receives every change of a file on its device with the bytes, and every
//                               sync, in order; see append_record()
//     MIGRATOR_FAULTS_ENGINE=path names an engine's library, whose allocations are counted; see
//                               migrator_faults_count_again()
//     MIGRATOR_FAULTS_MEMORY=n  makes only the n-th allocation of the engine fail, as the hooks of SQLite's own tests do
//     MIGRATOR_FAULTS_STARVED=n makes all allocations of the engine fail from the n-th on
//     MIGRATOR_FAULTS_FREE=n    makes the disk report n free bytes
//     MIGRATOR_FAULTS_LOG=file  receives the name of each call as a line; it is complete only if the process is not killed

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
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

// MARK: Recording

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

// Appends a record: a line `kind number value size path`, then the bytes and a newline. The number is the inode's, and the
// value the offset or the size of a truncated file; a path that the call names comes after a tab.
static void append_record(const char *kind, ino_t number, long long value, const void *bytes, size_t size,
                          const char *path, const char *other) {
  const char *target = getenv("MIGRATOR_FAULTS_RECORD");
  // A file of no path and number is on another device.
  if (!target || (!path && !number)) return;
  char line[8400];
  int length = snprintf(line, sizeof line, "%s %llu %lld %zu\t%s\t%s\n", kind, (unsigned long long)number, value, size,
                        path ? path : "", other ? other : "");
  int file = (int)syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  (void)!syscall(SYS_write, file, line, (size_t)length);
  if (size) (void)!syscall(SYS_write, file, bytes, size);
  if (size) (void)!syscall(SYS_write, file, "\n", (size_t)1);
  syscall(SYS_close, file);
}

// Zero for a file on another device, where a different file may have the same number.
static ino_t inode_of(int file) {
  struct stat status, target;
  const char *path = getenv("MIGRATOR_FAULTS_RECORD");
  if (!path || stat(path, &target) != 0 || fstat(file, &status) != 0) return 0;
  return status.st_dev == target.st_dev ? status.st_ino : 0;
}

// A call and its record are one step, so that the records of several threads are in the order of the calls.
#define RECORDING(call, failed, ...) \
  ({ \
    pthread_mutex_lock(&record_lock); \
    __typeof__(call) outcome = call; \
    int number = errno; \
    if (outcome != failed) append_record(__VA_ARGS__); \
    pthread_mutex_unlock(&record_lock); \
    errno = number; \
    outcome; \
  })

// MARK: Memory

static atomic_long allocations;
static sqlite3_mem_methods memory;

static int is_refused(void) {
  long number = atomic_fetch_add(&allocations, 1) + 1;
  long starved = setting("MIGRATOR_FAULTS_STARVED");
  return number == setting("MIGRATOR_FAULTS_MEMORY") || (starved && number >= starved);
}

static void *allocate(int size) { return is_refused() ? NULL : memory.xMalloc(size); }

static void *reallocate(void *old, int size) { return is_refused() ? NULL : memory.xRealloc(old, size); }

// Runs before the program; the engine accepts hooks only before its first use (https://www.sqlite.org/c3ref/config.html).
__attribute__((constructor)) static void count_allocations(void) {
  const char *path = getenv("MIGRATOR_FAULTS_ENGINE");
  void *engine = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  __typeof__(&sqlite3_config) configure = engine ? (__typeof__(&sqlite3_config))dlsym(engine, "sqlite3_config") : NULL;
  if (!configure || configure(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK) return;
  sqlite3_mem_methods counting = memory;
  counting.xMalloc = allocate;
  counting.xRealloc = reallocate;
  configure(SQLITE_CONFIG_MALLOC, &counting);
}

// Returns the number of allocations, and starts counting at zero again; a process finds it with dlsym.
long migrator_faults_count_again(void) { return atomic_exchange(&allocations, 0); }

// MARK: Calls

enum verdict { GO_ON, IS_LAST, IS_FULL, FAILS };

// Counts a call and decides its outcome. A full disk does not affect calls that only free space or remove files.
static enum verdict count(const char *name, int needs_room) {
  long number = atomic_fetch_add(&calls, 1) + 1;
  note(name);
  const char *last = getenv("MIGRATOR_FAULTS_KILL_NAME");
  if (last && strcmp(name, last) == 0) die();
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

#define WRITES(name, parameters, arguments, half, place) \
  ssize_t name parameters { \
    if (is_file(file)) { \
      enum verdict verdict = count(#name, 1); \
      if (verdict == IS_FULL) return errno = ENOSPC, -1; \
      if (verdict == FAILS) return errno = EIO, -1; \
      look_for_text(file, bytes, size); \
      keep_written(file, bytes, size); \
      if (verdict == IS_LAST) (void)!REAL(name) half, die(); \
    } \
    if (!is_file(file)) return REAL(name) arguments; \
    return RECORDING(REAL(name) arguments, -1, "write", inode_of(file), place, bytes, (size_t)outcome, NULL, NULL); \
  }

// After the call, which has moved the descriptor's place.
#define PLACE lseek64(file, 0, SEEK_CUR) - outcome

WRITES(write, (int file, const void *bytes, size_t size), (file, bytes, size), (file, bytes, size / 2), PLACE)
WRITES(pwrite, (int file, const void *bytes, size_t size, off_t offset), (file, bytes, size, offset),
       (file, bytes, size / 2, offset), offset)
WRITES(pwrite64, (int file, const void *bytes, size_t size, off64_t offset), (file, bytes, size, offset),
       (file, bytes, size / 2, offset), offset)

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

// The path of a file that a call names by its folder's descriptor.
static const char *path_in(int folder, const char *name, char path[4096]) {
  if (folder == AT_FDCWD || *name == '/') return name;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, 2048);
  if (length < 0) return name;
  snprintf(path + length, 4096 - (size_t)length, "/%s", name);
  return path;
}

#define PATH(folder, name) path_in(folder, name, (char[4096]){0})

#define CHANGES(name, parameters, arguments, ...) \
  int name parameters { \
    if (count(#name, 0) == FAILS) return errno = EIO, -1; \
    return RECORDING(REAL(name) arguments, -1, __VA_ARGS__); \
  }

CHANGES(fsync, (int file), (file), "sync", inode_of(file), 0, NULL, 0, NULL, NULL)
CHANGES(fdatasync, (int file), (file), "sync", inode_of(file), 0, NULL, 0, NULL, NULL)
CHANGES(ftruncate, (int file, off_t size), (file, size), "truncate", inode_of(file), size, NULL, 0, NULL, NULL)
CHANGES(ftruncate64, (int file, off64_t size), (file, size), "truncate", inode_of(file), size, NULL, 0, NULL, NULL)
CHANGES(rename, (const char *from, const char *to), (from, to), "rename", 0, 0, NULL, 0, from, to)
CHANGES(renameat, (int folder, const char *from, int other, const char *to), (folder, from, other, to), "rename", 0, 0,
        NULL, 0, PATH(folder, from), PATH(other, to))
CHANGES(renameat2, (int folder, const char *from, int other, const char *to, unsigned flags),
        (folder, from, other, to, flags), "rename", 0, 0, NULL, 0, PATH(folder, from), PATH(other, to))
CHANGES(link, (const char *from, const char *to), (from, to), "link", 0, 0, NULL, 0, from, to)
CHANGES(linkat, (int folder, const char *from, int other, const char *to, int flags), (folder, from, other, to, flags),
        "link", 0, 0, NULL, 0, PATH(folder, from), PATH(other, to))
CHANGES(unlink, (const char *path), (path), "unlink", 0, 0, NULL, 0, path, NULL)
CHANGES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), "unlink", 0, 0, NULL, 0,
        PATH(folder, path), NULL)
CHANGES(fchmod, (int file, mode_t mode), (file, mode), "mode", inode_of(file), mode, NULL, 0, NULL, NULL)

#define OPENS(name, folder, parameters, ...) \
  int name parameters { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE) return REAL(name)(__VA_ARGS__, mode); \
    int is_new = faccessat(folder, path, F_OK, 0) != 0; \
    if (is_new && count(#name, 0) == FAILS) return errno = EIO, -1; \
    if (is_new) \
      return RECORDING(REAL(name)(__VA_ARGS__, mode), -1, "create", inode_of(outcome), mode, NULL, 0, PATH(folder, path), \
                       NULL); \
    if (!(flags & O_TRUNC)) return REAL(name)(__VA_ARGS__, mode); \
    return RECORDING(REAL(name)(__VA_ARGS__, mode), -1, "truncate", inode_of(outcome), 0, NULL, 0, NULL, NULL); \
  }

OPENS(open, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPENS(open64, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPENS(openat, folder, (int folder, const char *path, int flags, ...), folder, path, flags)
OPENS(openat64, folder, (int folder, const char *path, int flags, ...), folder, path, flags)

#define REPORTS(name, type) \
  int name(const char *path, struct type *status) { \
    int result = REAL(name)(path, status); \
    if (!result && getenv("MIGRATOR_FAULTS_FREE")) \
      status->f_bavail = (fsblkcnt_t)setting("MIGRATOR_FAULTS_FREE") / status->f_frsize; \
    return result; \
  }

REPORTS(statvfs, statvfs)
REPORTS(statvfs64, statvfs64)
