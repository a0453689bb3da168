// Determines the copy of the engine to which a connection belongs, and the number of its connections to a file.
//
// The engine has no function that returns either. Both are read from the engine's memory, whose layout is the same in
// all versions that are in use (3.7 to 3.53). The layout is checked first; an unexpected one counts as unknown.

#define _GNU_SOURCE  // dladdr, dl_iterate_phdr, RTLD_DEFAULT

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <link.h>
#endif

#include "CSQLiteLoader.h"

// MARK: - The copy that a connection belongs to

// A connection begins with its layer for files (struct sqlite3 in sqliteInt.h), which is in the list that its copy of
// the engine gives out (https://www.sqlite.org/c3ref/vfs_find.html), and in no other list.
static int is_registered(__typeof__(&sqlite3_vfs_find) vfs_find, const void *database) {
  const sqlite3_vfs *layer;
  memcpy(&layer, database, sizeof layer);
  for (const sqlite3_vfs *vfs = vfs_find(NULL); vfs; vfs = vfs->pNext)
    if (vfs == layer) return 1;
  return 0;
}

int csqlite_owns(const csqlite_functions *functions, const void *database) {
  return is_registered(functions->vfs_find, database);
}

// Looks at the functions that an image finds, its own or those of the libraries that it needs.
static int look_in(void *handle, const void *database, char *path, size_t capacity) {
  __typeof__(&sqlite3_vfs_find) vfs_find;
  void *symbol = dlsym(handle, "sqlite3_vfs_find");
  memcpy(&vfs_find, &symbol, sizeof symbol);
  Dl_info home;
  if (!symbol || !dladdr(symbol, &home) || !home.dli_fname || !is_registered(vfs_find, database)) return 0;
  void *image = dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  size_t count = image ? strlen(home.dli_fname) : 0;
  if (image) dlclose(image);
  if (count >= capacity) return 0;
  memcpy(path, home.dli_fname, count);
  path[count] = 0;
  return 1;
}

enum { MOST_IMAGES = 4096 };

typedef struct image_list {
  char *names[MOST_IMAGES];
  int count;
} image_list;

static void add_image(image_list *list, const char *name) {
  if (list->count < MOST_IMAGES && name && *name && (list->names[list->count] = strdup(name))) list->count++;
}

#ifndef __APPLE__
// Only the names are taken: the loader is locked meanwhile.
static int note_image(struct dl_phdr_info *image, size_t size, void *list) {
  (void)size;
  add_image(list, image->dlpi_name);
  return 0;
}
#endif

int csqlite_find_owner(const void *database, char *path, size_t capacity) {
  if (look_in(RTLD_DEFAULT, database, path, capacity)) return 1;
  image_list *list = calloc(1, sizeof *list);
  if (!list) return 0;
#ifdef __APPLE__
  for (uint32_t i = 0; i < _dyld_image_count(); i++) add_image(list, _dyld_get_image_name(i));
#else
  dl_iterate_phdr(note_image, list);
#endif
  int found = 0;
  for (int i = 0; i < list->count; i++) {
    void *image = found ? NULL : dlopen(list->names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (image) {
      found = look_in(image, database, path, capacity);
      dlclose(image);
    }
    free(list->names[i]);
  }
  free(list);
  return found;
}

// MARK: - The files that a copy has open

// Connections of one copy share what the copy knows of a file and its locks (struct unixInodeInfo in os_unix.c), the
// number of connections among it. Each connection's file has a pointer to that after its methods and its layer
// (struct unixFile).
enum { SHARED_WORD = 2, SHARED_SIZE = 64 };

static const char *shared_part(const csqlite_functions *functions, sqlite3 *database) {
  sqlite3_file *file = NULL;
  if (functions->file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file) return NULL;
  const char *shared = NULL;
  if (file->pMethods) memcpy(&shared, (const char *)file + SHARED_WORD * sizeof(void *), sizeof shared);
  return shared;
}

static int count_at(const char *shared, int offset) {
  int count;
  memcpy(&count, shared + offset, sizeof count);
  return count;
}

// The place of the only number that grows from one to two while a second connection opens the same file.
static int changed_place(const char *before, const char *after) {
  int place = -1;
  for (int offset = 0; offset < SHARED_SIZE; offset += (int)sizeof(int)) {
    if (count_at(before, offset) == count_at(after, offset)) continue;
    if (place >= 0 || count_at(before, offset) != 1 || count_at(after, offset) != 2) return -1;
    place = offset;
  }
  return place;
}

int csqlite_count_offset(const csqlite_functions *functions) {
  // An empty file that every system has, and that no database is in.
  static const char path[] = "/dev/null";
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, offset = -1;
  sqlite3 *one = NULL, *two = NULL;
  if (functions->open_v2(path, &one, flags, NULL) == SQLITE_OK) {
    const char *shared = shared_part(functions, one);
    char before[SHARED_SIZE];
    if (shared) memcpy(before, shared, sizeof before);
    if (shared && functions->open_v2(path, &two, flags, NULL) == SQLITE_OK && shared_part(functions, two) == shared)
      offset = changed_place(before, shared);
  }
  functions->close(two);
  functions->close(one);
  return offset;
}

int csqlite_connection_count(const csqlite_functions *functions, sqlite3 *database, int offset) {
  const char *shared = shared_part(functions, database);
  return shared ? count_at(shared, offset) : 0;
}
