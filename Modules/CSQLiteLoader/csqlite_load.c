#define _GNU_SOURCE  // RTLD_DEEPBIND, RTLD_DEFAULT, dladdr

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteLoader.h"
#include "csqlite_exit.h"

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
  LOAD_AS(found.hmac, "HMAC")
  const void *const symbols[] = {
      (const void *)(uintptr_t)found.pbkdf2, (const void *)(uintptr_t)found.sha1,
      (const void *)(uintptr_t)found.sha256, (const void *)(uintptr_t)found.sha512,
      (const void *)(uintptr_t)found.hmac};
  void *image = NULL;
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
    Dl_info home;
    if (!symbols[i] || !dladdr(symbols[i], &home) || (image && image != home.dli_fbase))
      return (csqlite_derivation){NULL, NULL, NULL, NULL, NULL};
    image = home.dli_fbase;
  }
  return found;
}

static csqlite_status fail(csqlite_status status, const char *reason, char *message, size_t capacity) {
  snprintf(message, capacity, "%s", reason);
  return status;
}

csqlite_status csqlite_load(const char *path, const csqlite_library **library, char *message, size_t capacity) {
  static const char no_memory[] = "there is not enough memory to load it";
  *library = NULL;
  message[0] = 0;
  void *handle = path ? dlopen(path, open_mode()) : RTLD_DEFAULT;
  if (path && !handle) {
    const char *reason = dlerror();
    return fail(CSQLITE_NOT_FOUND, reason ? reason : "no reason given", message, capacity);
  }
  if (!path && !dlsym(handle, "sqlite3_libversion"))
    return fail(CSQLITE_NOT_FOUND, "this process contains no SQLite symbols", message, capacity);

  csqlite_library *loaded = calloc(1, sizeof *loaded);
  if (!loaded) return fail(CSQLITE_UNSUITABLE, no_memory, message, capacity);
  CSQLITE_REQUIRED(LOAD_REQUIRED)
  CSQLITE_OPTIONAL(LOAD_OPTIONAL)
  loaded->derivation = find_derivation(handle);

  csqlite_status status = CSQLITE_LOADED;
  Dl_info home;
  if (message[0]) {
    status = CSQLITE_UNSUITABLE;
  } else if (!dladdr((const void *)(uintptr_t)loaded->functions.libversion, &home)) {
    const char *reason = "the loader cannot determine which file its functions come from";
    status = fail(CSQLITE_NOT_FOUND, reason, message, capacity);
  } else if (path && is_interposed(loaded->functions.libversion, &home)) {
    const char *reason = "another SQLite in this process intercepts its internal calls";
    status = fail(CSQLITE_UNSUITABLE, reason, message, capacity);
  } else {
    loaded->image = (uintptr_t)home.dli_fbase;
    loaded->path = strdup(home.dli_fname ? home.dli_fname : (path ? path : ""));
    if (!loaded->path) status = fail(CSQLITE_UNSUITABLE, no_memory, message, capacity);
  }
  if (status == CSQLITE_LOADED) {
    if (loaded->optional.key_v2) csqlite_guard(loaded);
    *library = loaded;
  } else {
    free(loaded);
    if (path) dlclose(handle);
  }
  return status;
}
