// Determines the copy of the engine to which a connection belongs, and whether the copy has a file open twice.
//
// The engine has no function that returns either: every function requires a connection of the same copy, and none lists
// connections. Both are read from the engine's memory, in words that are the same in all versions in use (3.7 to 3.53).

#define _GNU_SOURCE  // dladdr, RTLD_DEFAULT

#include <dlfcn.h>
#include <string.h>

#include "CSQLiteLoader.h"

// MARK: - The copy that a connection belongs to

// A connection begins with the address of its layer for files (struct sqlite3 in sqliteInt.h). This needs no proof in
// advance: whatever word is there counts only if it is in the list that a copy of the engine gives out
// (https://www.sqlite.org/c3ref/vfs_find.html), and no layer is in the lists of two copies.
static const sqlite3_vfs *find_layer(const void *database) {
  const sqlite3_vfs *layer;
  memcpy(&layer, database, sizeof layer);
  return layer;
}

static int is_registered(__typeof__(&sqlite3_vfs_find) vfs_find, const void *database) {
  const sqlite3_vfs *layer = find_layer(database);
  for (const sqlite3_vfs *vfs = vfs_find(NULL); vfs; vfs = vfs->pNext)
    if (vfs == layer) return 1;
  return 0;
}

int csqlite_owns(const csqlite_functions *functions, const void *database) {
  return is_registered(functions->vfs_find, database);
}

// Looks at the functions that a handle of the loader finds, those of a library or those of its dependencies.
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

int csqlite_find_owner(const void *database, char *path, size_t capacity) {
  if (look_in(RTLD_DEFAULT, database, path, capacity)) return 1;
  // The engine's own layers are variables of its library. An application's layer may be elsewhere; the application must
  // then name the library.
  Dl_info home;
  if (!dladdr(find_layer(database), &home) || !home.dli_fname) return 0;
  void *image = dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!image) return 0;
  int found = look_in(image, database, path, capacity);
  dlclose(image);
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

// The offset of the number of connections. The layout is proven here, by a trial with two connections of this copy: if
// not exactly one number counts them, the offset is unknown.
static int count_offset(const csqlite_functions *functions) {
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

int csqlite_shares_file(const csqlite_functions *functions, sqlite3 *database) {
  const char *shared = shared_part(functions, database);
  int offset = shared ? count_offset(functions) : -1;
  return offset >= 0 && count_at(shared, offset) > 1;
}
