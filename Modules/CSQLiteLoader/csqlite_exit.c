// Keeps threads out of an encrypting library while the process exits.
//
// When the process calls exit(3), SQLCipher 4 overwrites its keys, and the cryptographic library of SQLCipher 3 shuts
// down. A thread that is writing at that time crashes, or continues with invalid key bytes and leaves a file that no
// key opens. Their exit functions are registered when they are first used; ours, registered after them, is called
// before them (https://man7.org/linux/man-pages/man3/atexit.3.html).

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "CSQLiteLoader.h"

enum { SLOTS = 4, STRIPES = 16, PATIENCE_IN_MILLISECONDS = 10000 };

// The guarded libraries, with their own functions.
static csqlite_library slots[SLOTS];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

// The open connections, to be interrupted at exit.
static struct {
  sqlite3 *database;
  int slot;
} *connections;
static size_t connection_count, connection_capacity;
static pthread_mutex_t connections_lock = PTHREAD_MUTEX_INITIALIZER;

// The number of threads inside the library, as several counters so that threads do not contend for one.
static struct {
  _Alignas(64) atomic_long count;
} inside[STRIPES];
static atomic_uint thread_count;
static atomic_int is_leaving;
static pid_t process;

// The depth of nested calls of this thread: the engine calls back.
static _Thread_local int depth;
static _Thread_local unsigned number;

static void leave(void) {
  if (--depth == 0) atomic_fetch_sub(&inside[number % STRIPES].count, 1);
}

// Whether a call may proceed; the caller must then call leave().
static int enter(void) {
  if (depth++) return 1;
  if (!number) number = atomic_fetch_add(&thread_count, 1) + 1;
  // Count before reading the flag; the thread that sets the flag reads the counts afterwards.
  atomic_fetch_add(&inside[number % STRIPES].count, 1);
  if (!atomic_load(&is_leaving)) return 1;
  leave();
  return 0;
}

static int others_are_inside(void) {
  // A callback of the engine may have called exit.
  long count = depth ? -1 : 0;
  for (int i = 0; i < STRIPES; i++) count += atomic_load(&inside[i].count);
  return count > 0;
}

static void interrupt_all(void) {
  pthread_mutex_lock(&connections_lock);
  for (size_t i = 0; i < connection_count; i++)
    slots[connections[i].slot].functions.interrupt(connections[i].database);
  pthread_mutex_unlock(&connections_lock);
}

static void close_doors(int status) {
  // After fork, the threads of the parent process do not exist here.
  if (getpid() != process) return;
  atomic_store(&is_leaving, 1);
  for (int waited = 0; others_are_inside(); waited++) {
    // This is equivalent to a kill, which databases survive. Continuing is not safe.
    if (waited == PATIENCE_IN_MILLISECONDS) _exit(status);
    interrupt_all();
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

#ifdef __GLIBC__
static void at_exit(int status, void *context) {
  (void)context;
  close_doors(status);
}

static int watch_exit(void) { return on_exit(at_exit, NULL); }
#else
static void at_exit(void) { close_doors(EXIT_FAILURE); }

static int watch_exit(void) { return atexit(at_exit); }
#endif

int csqlite_is_leaving(void) { return atomic_load_explicit(&is_leaving, memory_order_relaxed); }

// MARK: - Calls

static void note_connection(int slot, sqlite3 *database) {
  pthread_mutex_lock(&connections_lock);
  if (connection_count == connection_capacity) {
    size_t capacity = connection_capacity ? 2 * connection_capacity : 16;
    void *grown = realloc(connections, capacity * sizeof *connections);
    if (grown) {
      connections = grown;
      connection_capacity = capacity;
    }
  }
  // If there is no memory to record a connection, exit waits for it without interrupting it.
  if (connection_count < connection_capacity) {
    connections[connection_count].database = database;
    connections[connection_count++].slot = slot;
  }
  pthread_mutex_unlock(&connections_lock);
}

static void forget_connection(sqlite3 *database) {
  pthread_mutex_lock(&connections_lock);
  for (size_t i = 0; i < connection_count; i++)
    if (connections[i].database == database) {
      connections[i] = connections[--connection_count];
      break;
    }
  pthread_mutex_unlock(&connections_lock);
}

static int open_connection(int slot, const char *name, sqlite3 **database, int flags, const char *vfs) {
  *database = NULL;
  if (!enter()) return SQLITE_INTERRUPT;
  int code = slots[slot].functions.open_v2(name, database, flags, vfs);
  if (*database) note_connection(slot, *database);
  leave();
  return code;
}

static int close_connection(int slot, sqlite3 *database) {
  if (!enter()) return SQLITE_INTERRUPT;
  forget_connection(database);
  int code = slots[slot].functions.close(database);
  leave();
  return code;
}

// The other guarded functions: table, name, result type, result while the process exits, parameters, arguments.
// table_column_metadata reads the schema if it has not been read.
#define GUARDED(X, n) \
  X(n, functions, prepare_v2, int, SQLITE_INTERRUPT, \
    (sqlite3 *database, const char *sql, int count, sqlite3_stmt **statement, const char **rest), \
    (database, sql, count, statement, rest)) \
  X(n, functions, step, int, SQLITE_INTERRUPT, (sqlite3_stmt *statement), (statement)) \
  X(n, functions, reset, int, SQLITE_INTERRUPT, (sqlite3_stmt *statement), (statement)) \
  X(n, functions, finalize, int, SQLITE_INTERRUPT, (sqlite3_stmt *statement), (statement)) \
  X(n, functions, table_column_metadata, int, SQLITE_INTERRUPT, \
    (sqlite3 *database, const char *schema, const char *table, const char *column, const char **type, \
     const char **collation, int *is_not_null, int *is_key, int *is_autoincremented), \
    (database, schema, table, column, type, collation, is_not_null, is_key, is_autoincremented)) \
  X(n, optional, key_v2, int, SQLITE_INTERRUPT, \
    (sqlite3 *database, const char *schema, const void *bytes, int count), (database, schema, bytes, count)) \
  X(n, derivation, pbkdf2, int, 0, \
    (const char *passphrase, int passphrase_count, const unsigned char *salt, int salt_count, int iterations, \
     const void *digest, int count, unsigned char *key), \
    (passphrase, passphrase_count, salt, salt_count, iterations, digest, count, key))

#define DEFINE(n, table, name, type, refusal, parameters, arguments) \
  static type name##_##n parameters { \
    if (!enter()) return refusal; \
    type result = slots[n].table.name arguments; \
    leave(); \
    return result; \
  }

// The functions that callers use instead of the library's own. A function pointer carries no context, so each library
// has a separate set.
#define GUARD(n) \
  static int open_v2_##n(const char *name, sqlite3 **database, int flags, const char *vfs) { \
    return open_connection(n, name, database, flags, vfs); \
  } \
  static int close_##n(sqlite3 *database) { return close_connection(n, database); } \
  GUARDED(DEFINE, n)

GUARD(0)
GUARD(1)
GUARD(2)
GUARD(3)

#define REPLACE(n, table, name, ...) \
  if (library->table.name) library->table.name = name##_##n;

#define REPLACE_ALL(n) \
  case n: \
    library->functions.open_v2 = open_v2_##n; \
    library->functions.close = close_##n; \
    GUARDED(REPLACE, n) \
    break;

static int run(const csqlite_library *library, sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement = NULL;
  int code = library->functions.prepare_v2(database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) library->functions.step(statement);
  library->functions.finalize(statement);
  return code;
}

// Uses the library for the first time, with a key and random bytes, so that its exit functions and those of the
// cryptographic library are registered before ours: SQLCipher 4.6 first uses the latter for random bytes.
static void use(const csqlite_library *library) {
  sqlite3 *database = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  // SQLCipher 4.6 and later write warnings to standard error; with the first key, they forget the level of the log, but
  // not its source. Older versions ignore the setting.
  if (library->functions.open_v2(":memory:", &database, flags, NULL) == SQLITE_OK &&
      run(library, database, "PRAGMA cipher_log_source = NONE") == SQLITE_OK &&
      library->optional.key_v2(database, "main", "x", 1) == SQLITE_OK)
    run(library, database, "PRAGMA cipher_add_random = \"x'00'\"");
  library->functions.close(database);
}

void csqlite_guard(csqlite_library *library) {
  pthread_mutex_lock(&slots_lock);
  int slot = 0;
  while (slot < SLOTS && slots[slot].copy && slots[slot].copy != library->copy) slot++;
  int is_guarded = slot < SLOTS && slots[slot].copy == library->copy;
  if (slot < SLOTS && !is_guarded) {
    use(library);
    process = getpid();
    is_guarded = watch_exit() == 0;
    if (is_guarded) slots[slot] = *library;
  }
  if (is_guarded) switch (slot) { REPLACE_ALL(0) REPLACE_ALL(1) REPLACE_ALL(2) REPLACE_ALL(3) }
  pthread_mutex_unlock(&slots_lock);
}
