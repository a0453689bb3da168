// The functions of a SQLite or SQLCipher that is linked into the program, for a C target of the app:
//
//   #include <CSQLiteLinked.h>
//   CSQLITE_LINKED(app_sqlite)
//
// This defines a function, to be declared in the target's own header and passed to `EngineSource.linked` in Swift:
//
//   const void *_Nonnull app_sqlite(void);
//
// The addresses are those to which the program's linker resolves the names; nothing is looked up while it runs.

#ifndef CSQLITE_LINKED_H
#define CSQLITE_LINKED_H

#include "CSQLiteLoader.h"

// The optional functions that the linked engine may have. A file that defines this list before it includes the header
// replaces it, for an engine that lacks some of them where the linker requires all.
#ifndef CSQLITE_LINKED_OPTIONAL
#if !defined(__APPLE__) || defined(SQLITE_HAS_CODEC)
#define CSQLITE_LINKED_OPTIONAL(X) CSQLITE_OPTIONAL(X)
#else
// Apple's linker rejects even a weak reference to a function that no library has, and plain SQLite has no keys.
#define CSQLITE_LINKED_OPTIONAL(X) \
  X(changes64) X(compileoption_used) X(error_offset) X(set_last_insert_rowid) X(total_changes64) X(txn_state)
#endif
#endif

// A reference that is NULL if the engine lacks the function.
#ifdef __APPLE__
#define CSQLITE_WEAK(f) extern __typeof__(sqlite3_##f) sqlite3_##f __attribute__((weak_import));
#else
#define CSQLITE_WEAK(f) extern __typeof__(sqlite3_##f) sqlite3_##f __attribute__((weak));
#endif

// OpenSSL's functions, with which keys are derived once for all connections. A file that defines CSQLITE_LINKED_OPENSSL
// before it includes this header passes them, and must not include OpenSSL's own headers.
#ifdef CSQLITE_LINKED_OPENSSL
int PKCS5_PBKDF2_HMAC(const char *_Nullable, int, const unsigned char *_Nullable, int, int, const void *_Nonnull, int,
                      unsigned char *_Nonnull);
const void *_Nullable EVP_sha1(void);
const void *_Nullable EVP_sha256(void);
const void *_Nullable EVP_sha512(void);
#define CSQLITE_LINKED_DERIVATION {PKCS5_PBKDF2_HMAC, EVP_sha1, EVP_sha256, EVP_sha512}
#else
#define CSQLITE_LINKED_DERIVATION {NULL, NULL, NULL, NULL}
#endif

#define CSQLITE_ADDRESS(f) .f = sqlite3_##f,

/// Defines a function that returns the functions of the linked engine.
#define CSQLITE_LINKED(name) \
  CSQLITE_LINKED_OPTIONAL(CSQLITE_WEAK) \
  const void *_Nonnull name(void); \
  const void *_Nonnull name(void) { \
    static const csqlite_linked functions = { \
        .functions = {CSQLITE_REQUIRED(CSQLITE_ADDRESS)}, \
        .optional = {CSQLITE_LINKED_OPTIONAL(CSQLITE_ADDRESS)}, \
        .derivation = CSQLITE_LINKED_DERIVATION, \
    }; \
    return &functions; \
  }

#endif
