#define _GNU_SOURCE                // explicit_bzero, sync_file_range
#define __STDC_WANT_LIB_EXT1__ 1  // memset_s

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CSQLiteLoader.h"

int csqlite_count_descriptors(uint64_t device, uint64_t inode, int *found) {
  // The folder lists what is open, on Linux and on Darwin; trying every number up to the limit may take a second.
  DIR *folder = opendir("/dev/fd");
  if (!folder) return 0;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char *end;
    long number = strtol(entry->d_name, &end, 10);
    struct stat status;
    if (end == entry->d_name || *end || number == dirfd(folder)) continue;
    if (fstat((int)number, &status) || (uint64_t)status.st_dev != device || (uint64_t)status.st_ino != inode) continue;
    *found = (int)number;
    count++;
  }
  closedir(folder);
  return count;
}

int csqlite_try_lock(int descriptor, int is_exclusive) {
  return flock(descriptor, (is_exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

void csqlite_begin_writing(int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
  // The result does not matter: another call makes the content durable.
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}

// Whole pages: munlock works on pages and would also unlock an adjacent secret.
static size_t whole_pages(size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (count + page - 1) / page * page;
}

void *csqlite_secret_allocate(size_t count) {
  size_t size = whole_pages(count ? count : 1);
  void *secret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (secret == MAP_FAILED) return NULL;
  // A system limit may refuse both; the secret is then as safe as the rest of the memory.
  (void)mlock(secret, size);
#ifdef MADV_DONTDUMP
  (void)madvise(secret, size, MADV_DONTDUMP);
#endif
  return secret;
}

void csqlite_secret_free(void *secret, size_t count) {
  size_t size = whole_pages(count ? count : 1);
  // In a way that the compiler cannot remove.
#ifdef __APPLE__
  memset_s(secret, size, 0, size);
#else
  explicit_bzero(secret, size);
#endif
  munmap(secret, size);
}
