// The C functions of SQLite and SQLCipher as tables, each of one library that is loaded or linked.
//
// Both libraries export the same symbols, so a program linked against both calls the copy that the linker put first
// (https://github.com/sqlcipher/sqlcipher/issues/385). Instead, each library has a separate table, and nothing here is
// linked against either.

#ifndef CSQLITE_H
#define CSQLITE_H

// The types come from the system's header, so that a wrong call does not compile; separate declarations could become
// wrong. A direct call of one of its functions does not link.
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "CSQLiteFunctions.h"

/// The key derivation functions of the cryptographic library that an engine uses.
///
/// https://docs.openssl.org/3.0/man3/PKCS5_PBKDF2_HMAC/ and https://docs.openssl.org/3.0/man3/EVP_sha224/. All are NULL
/// if the engine uses a library other than OpenSSL.
typedef struct CSQLITE_SENDABLE csqlite_derivation {
  int (*_Nullable pbkdf2)(const char *_Nullable passphrase, int passphrase_count, const unsigned char *_Nullable salt,
                          int salt_count, int iterations, const void *_Nonnull digest, int count,
                          unsigned char *_Nonnull key);
  const void *_Nullable (*_Nullable sha1)(void);
  const void *_Nullable (*_Nullable sha256)(void);
  const void *_Nullable (*_Nullable sha512)(void);
} csqlite_derivation;

/// The functions of an engine that is linked into the program; CSQLiteLinked.h fills it.
typedef struct csqlite_linked {
  csqlite_functions functions;
  csqlite_optional_functions optional;
  csqlite_derivation derivation;
} csqlite_linked;

/// One copy of the engine. Tables are never freed, and libraries are never unloaded, because statements may still use
/// them.
typedef struct csqlite_library {
  /// Functions that every engine has.
  csqlite_functions functions;
  /// Functions that old engines, plain SQLite or some builds lack; NULL if missing.
  csqlite_optional_functions optional;
  /// The key derivation functions that the library uses.
  csqlite_derivation derivation;
  /// The identity of the copy in this process: the address of its version, which is one of its variables.
  uintptr_t copy;
  /// The file that contains the copy, as the loader reports it; empty in a program without a loader.
  const char *_Nonnull path;
} csqlite_library;

/// The result of loading a library.
typedef enum csqlite_status {
  /// The table is filled.
  CSQLITE_LOADED = 0,
  /// No library of that name could be loaded.
  CSQLITE_NOT_FOUND = 1,
  /// The library was found but cannot be used.
  CSQLITE_UNSUITABLE = 2,
} csqlite_status;

/// Loads a library and fills a table.
///
/// @param path the name or path to pass to dlopen, or NULL for the symbols that are already in the process.
/// @param library receives the table on success.
/// @param message receives the reason of a failure.
/// @param capacity the size of `message` in bytes.
csqlite_status csqlite_load(const char *_Nullable path, csqlite_library *_Nullable *_Nonnull library,
                            char *_Nonnull message, size_t capacity);

/// Fills a table with the functions of an engine that is linked into the program; otherwise like csqlite_load.
csqlite_status csqlite_link(const csqlite_linked *_Nonnull linked, csqlite_library *_Nullable *_Nonnull library,
                            char *_Nonnull message, size_t capacity);

/// Replaces functions of a library that encrypts by functions that keep threads out of it while the process exits. At
/// most four libraries are guarded.
void csqlite_guard(csqlite_library *_Nonnull library);

/// Calls sqlite3_db_config for an option that takes a flag; Swift cannot call variadic functions.
/// https://www.sqlite.org/c3ref/db_config.html
///
/// @param value 1 to set, 0 to clear, -1 to read only.
/// @param current receives the setting afterwards.
int csqlite_db_config_flag(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database, int option,
                           int value, int *_Nonnull current);

/// Returns whether the file of a database, which is named as in ATTACH, is no longer at its path, because it was renamed,
/// replaced or unlinked.
/// https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlhasmoved
int csqlite_has_moved(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database,
                      const char *_Nonnull schema);

/// Overwrites the first 512 bytes of the database's file, the smallest page size, with zeros, through the engine's own
/// descriptor. Other connections that have the file open then report that it is not a database.
///
/// @return a result code of the engine.
int csqlite_scrub(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database);

/// Compares the current rows of two statements of one library.
///
/// @return the first column in which their kinds or values differ, or -1.
int csqlite_different_column(const csqlite_functions *_Nonnull functions, sqlite3_stmt *_Nonnull one,
                             sqlite3_stmt *_Nonnull other, int columns);

/// Returns the size in bytes of the database's file, or of its write-ahead log or rollback journal, as the engine has
/// it open; -1 when there is none.
int64_t csqlite_file_size(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database, int is_journal);

/// Reads bytes of the database's file, or of its write-ahead log, through the engine's own descriptor: closing another
/// descriptor would drop the engine's locks on the file
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
///
/// @return SQLITE_OK; SQLITE_IOERR_SHORT_READ if the file ends earlier, with the remaining bytes set to zero; another
/// error code.
int csqlite_file_read(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database, int is_journal,
                      void *_Nonnull buffer, int count, int64_t offset);

/// The destructor that makes the engine copy a bound value at once; Swift does not import the cast macro.
/// https://www.sqlite.org/c3ref/c_static.html
static inline sqlite3_destructor_type _Nullable csqlite_transient(void) { return SQLITE_TRANSIENT; }

/// A C function that carries out the calls of the application's SQL functions.
///
/// @param functions the functions of the engine that makes the call.
/// @param data the data with which the SQL function was created.
typedef void (*csqlite_call)(const csqlite_functions *_Nonnull functions, void *_Nullable data,
                             sqlite3_context *_Nonnull context, int count,
                             sqlite3_value *_Nullable *_Nullable values);

/// Calls sqlite3_create_function_v2 for a function that is passed the functions of the engine that calls it.
/// https://www.sqlite.org/c3ref/create_function.html
///
/// @param call must be the same for all functions of a process.
/// @param release is called with `data` once the engine no longer refers to the data, even if this function fails.
/// @return a result code of the engine, or -1 if there are more than eight copies of the engine in the process.
int csqlite_create_function(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database,
                            const char *_Nonnull name, int count, int flags, void *_Nonnull data,
                            csqlite_call _Nonnull call, void (*_Nonnull release)(void *_Nullable));

/// Counts the descriptors of this process that are open on the file.
///
/// @param found receives one of them; unchanged if there is none.
int csqlite_count_descriptors(uint64_t device, uint64_t inode, int *_Nonnull found);

/// Returns whether a connection belongs to a copy of the engine. No function of the copy is called with the connection,
/// because a pointer from another copy would be invalid.
int csqlite_owns(const csqlite_functions *_Nonnull functions, const void *_Nonnull database);

/// Searches the process for the library of the engine that a connection belongs to.
///
/// @param path receives the path of the library; empty if the program itself exports the functions.
/// @return 1 if the library was found, 0 if no library whose functions are exported owns the connection.
int csqlite_find_owner(const void *_Nonnull database, char *_Nonnull path, size_t capacity);

/// Returns whether another connection of the same copy of the engine has the file of a connection open, too; 0 if this
/// cannot be determined.
int csqlite_shares_file(const csqlite_functions *_Nonnull functions, sqlite3 *_Nonnull database);

/// Takes an flock lock on an open file, without waiting. The lock ends when the file is closed or the process ends, and
/// is independent of the engines' locks.
///
/// @return 0, or -1 and errno; EWOULDBLOCK if another process holds the lock.
int csqlite_try_lock(int descriptor, int is_exclusive);

/// Asks the system to start writing a file's content to disk, without waiting and without a guarantee.
void csqlite_begin_writing(int descriptor);

/// Allocates memory on separate pages for a secret, kept out of swap space and core dumps if the system allows it; NULL
/// if allocation fails.
void *_Nullable csqlite_secret_allocate(size_t count);

/// Wipes and frees memory that csqlite_secret_allocate returned.
void csqlite_secret_free(void *_Nonnull secret, size_t count);

/// Returns whether the process is exiting: calls of encrypting libraries then fail with SQLITE_INTERRUPT, and exit
/// waits for the calls that are running.
int csqlite_is_leaving(void);

#endif
