// The engine, loaded at run time from the same file that the library under test loads.

#ifndef BENCHMARK_ENGINE_H
#define BENCHMARK_ENGINE_H

#include <sqlite3.h>

// Only in SQLCipher; the system's header may not declare it.
int sqlite3_key(sqlite3 *database, const void *key, int count);

#define ENGINE_FUNCTIONS(X) \
  X(bind_double) \
  X(bind_int64) \
  X(bind_text) \
  X(busy_timeout) \
  X(close) \
  X(column_bytes) \
  X(column_double) \
  X(column_int64) \
  X(column_text) \
  X(errmsg) \
  X(exec) \
  X(finalize) \
  X(open_v2) \
  X(prepare_v2) \
  X(reset) \
  X(step)

#define ENGINE_FIELD(f) __typeof__(&sqlite3_##f) f;

// The functions of one library.
typedef struct engine {
  ENGINE_FUNCTIONS(ENGINE_FIELD)
  // NULL in plain SQLite.
  __typeof__(&sqlite3_key) key;
} engine;

// Loads a library; ends the program when that fails.
engine engine_load(const char *path);

// Opens a database like the library under test: creates a missing file, waits for locks, and enforces foreign keys.
// An empty key means none.
sqlite3 *engine_open(const engine *engine, const char *file, const char *key);

// Runs statements and ignores their rows.
void engine_run(const engine *engine, sqlite3 *database, const char *sql);

sqlite3_stmt *engine_prepare(const engine *engine, sqlite3 *database, const char *sql);

// Ends the program unless `code` is `expected`.
void engine_check(const engine *engine, sqlite3 *database, int code, int expected);

#endif
