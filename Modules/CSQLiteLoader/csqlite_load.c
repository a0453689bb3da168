#define _GNU_SOURCE  // RTLD_DEEPBIND, RTLD_DEFAULT, dladdr

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteLoader.h"

static const char no_memory[] = "there is not enough memory to load it";

// Deep binding aborts under the sanitizers, whose runtimes must intercept the allocator's calls
// (https://github.com/google/sanitizers/issues/611).
static int is_sanitized(void) {
  static const char *const runtimes[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"};
  for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++)
    if (dlsym(RTLD_DEFAULT, runtimes[i])) return 1;
  return 0;
}

static int open_mode(void) {
  int mode = RTLD_LAZY | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
  // If another SQLite is globally visible, the library's calls of its own functions would resolve to that copy. Deep
  // binding makes it search its own symbols first. Darwin's two-level namespaces always do so.
  if (dlsym(RTLD_DEFAULT, "sqlite3_libversion") && !is_sanitized()) mode |= RTLD_DEEPBIND;
#else
  (void)is_sanitized;
#endif
  return mode;
}

// Whether the library's internal references resolve to another library. sqlite3_libversion returns the address of a
// variable that is resolved like every other symbol, so this detects interposition before the first real call crashes.
static int is_interposed(const char *(*version)(void), const Dl_info *home) {
  Dl_info variable;
  const char *text = version();
  return !text || !dladdr(text, &variable) || variable.dli_fbase != home->dli_fbase;
}

static void append_name(char *message, size_t capacity, const char *name) {
  size_t used = strlen(message);
  snprintf(message + used, capacity - used, "%ssqlite3_%s", used ? ", " : "it lacks ", name);
}

// dlsym returns a data pointer for a function, which POSIX allows and ISO C does not define; copying its bytes is
// portable.
#define LOAD_AS(field, name) \
  do { \
    void *symbol = dlsym(handle, name); \
    memcpy((void *)&(field), &symbol, sizeof symbol); \
  } while (0);
#define LOAD(table, f) LOAD_AS((table).f, "sqlite3_" #f)
#define LOAD_REQUIRED(f) \
  LOAD(loaded->functions, f) \
  if (!dlsym(handle, "sqlite3_" #f)) append_name(message, capacity, #f);
#define LOAD_OPTIONAL(f) LOAD(loaded->optional, f)

// dlsym also searches the engine's dependencies, such as its cryptographic library, and the libraries linked into it.
// Take all functions or none, and all from one image: a digest of one OpenSSL does not work with another.
static csqlite_derivation find_derivation(void *handle) {
  csqlite_derivation found;
  LOAD_AS(found.pbkdf2, "PKCS5_PBKDF2_HMAC")
  LOAD_AS(found.sha1, "EVP_sha1")
  LOAD_AS(found.sha256, "EVP_sha256")
  LOAD_AS(found.sha512, "EVP_sha512")
  const void *const symbols[] = {
      (const void *)(uintptr_t)found.pbkdf2, (const void *)(uintptr_t)found.sha1,
      (const void *)(uintptr_t)found.sha256, (const void *)(uintptr_t)found.sha512};
  void *image = NULL;
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
    Dl_info home;
    if (!symbols[i] || !dladdr(symbols[i], &home) || (image && image != home.dli_fbase))
      return (csqlite_derivation){NULL, NULL, NULL, NULL};
    image = home.dli_fbase;
  }
  return found;
}

static csqlite_status fail(csqlite_status status, const char *reason, char *message, size_t capacity) {
  snprintf(message, capacity, "%s", reason);
  return status;
}

static Dl_info find_home(const void *symbol) {
  Dl_info home = {0};
  // A program without a loader has no homes; its functions are then all equal in that.
  if (!dladdr(symbol, &home)) home = (Dl_info){0};
  return home;
}

// Compares the home of one function with that of the others. Functions of two copies in one table would pass each other
// pointers that are invalid.
static void compare_home(const char *name, const void *function, const Dl_info *home, char *message, size_t capacity) {
  Dl_info other = find_home(function);
  if (message[0] || !function || other.dli_fbase == home->dli_fbase) return;
  snprintf(message, capacity, "its functions are those of two libraries: sqlite3_libversion of %s, but sqlite3_%s of %s",
           home->dli_fname ? home->dli_fname : "the program", name,
           other.dli_fname ? other.dli_fname : "the program");
}

#define COMPARE_HOME(table, f) \
  compare_home(#f, (const void *)(uintptr_t)library->table.f, &home, message, capacity);
#define COMPARE_REQUIRED(f) COMPARE_HOME(functions, f)
#define COMPARE_OPTIONAL(f) COMPARE_HOME(optional, f)

// Completes a table whose functions are filled.
static csqlite_status identify(csqlite_library *library, int is_loaded, char *message, size_t capacity) {
  Dl_info home = find_home((const void *)(uintptr_t)library->functions.libversion);
  CSQLITE_REQUIRED(COMPARE_REQUIRED)
  CSQLITE_OPTIONAL(COMPARE_OPTIONAL)
  if (message[0]) return CSQLITE_UNSUITABLE;
  if (is_loaded && is_interposed(library->functions.libversion, &home))
    return fail(CSQLITE_UNSUITABLE, "another SQLite in this process intercepts its internal calls", message, capacity);
  library->copy = (uintptr_t)library->functions.libversion();
  library->path = strdup(home.dli_fname ? home.dli_fname : "");
  return library->path ? CSQLITE_LOADED : fail(CSQLITE_UNSUITABLE, no_memory, message, capacity);
}

// A weak reference to a function that the linked engine lacks may find that of another library.
#define LEAVE_OUT(f) \
  if (find_home((const void *)(uintptr_t)filled->optional.f).dli_fbase != home.dli_fbase) filled->optional.f = NULL;

static csqlite_status finish(csqlite_library *filled, csqlite_status status, csqlite_library **library) {
  *library = status == CSQLITE_LOADED ? filled : NULL;
  if (status != CSQLITE_LOADED) free(filled);
  return status;
}

csqlite_status csqlite_load(const char *path, csqlite_library **library, char *message, size_t capacity) {
  *library = NULL;
  message[0] = 0;
#ifdef __APPLE__
  // A name without a folder would also be searched in the working directory, where others may have put a file.
  if (path && !strchr(path, '/'))
    return fail(CSQLITE_NOT_FOUND, "the name has no folder; use an absolute path or one that begins with @rpath/",
                message, capacity);
#endif
  void *handle = path ? dlopen(path, open_mode()) : RTLD_DEFAULT;
  if (path && !handle) {
    const char *reason = dlerror();
    return fail(CSQLITE_NOT_FOUND, reason ? reason : "no reason given", message, capacity);
  }
  if (!path && !dlsym(handle, "sqlite3_libversion"))
    return fail(CSQLITE_NOT_FOUND, "this process contains no SQLite symbols", message, capacity);

  csqlite_library *loaded = calloc(1, sizeof *loaded);
  if (!loaded) return fail(CSQLITE_UNSUITABLE, no_memory, message, capacity);
  loaded->derivation = find_derivation(handle);
#ifdef RTLD_FIRST
  // With this second handle, dlsym searches the library alone, without its dependencies.
  if (path) handle = dlopen(path, open_mode() | RTLD_FIRST);
#endif
  CSQLITE_REQUIRED(LOAD_REQUIRED)
  CSQLITE_OPTIONAL(LOAD_OPTIONAL)
  csqlite_status status = message[0] ? CSQLITE_UNSUITABLE : identify(loaded, path != NULL, message, capacity);
  if (status != CSQLITE_LOADED && path) dlclose(handle);
  return finish(loaded, status, library);
}

csqlite_status csqlite_link(const csqlite_linked *linked, csqlite_library **library, char *message, size_t capacity) {
  *library = NULL;
  message[0] = 0;
  csqlite_library *filled = calloc(1, sizeof *filled);
  if (!filled) return fail(CSQLITE_UNSUITABLE, no_memory, message, capacity);
  filled->functions = linked->functions;
  filled->optional = linked->optional;
  filled->derivation = linked->derivation;
  Dl_info home = find_home((const void *)(uintptr_t)filled->functions.libversion);
  CSQLITE_OPTIONAL(LEAVE_OUT)
  return finish(filled, identify(filled, 0, message, capacity), library);
}
