// The engine, loaded at run time from the very file that the library under test loads.

#ifndef BENCHMARK_ENGINE_H
#define BENCHMARK_ENGINE_H

#include <sqlite3.h>

// SQLCipher's own; the system's header need not have it.
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

// Opens a database as the library under test does: created when missing, waiting for locks, foreign keys enforced.
// An empty key stands for none.
sqlite3 *engine_open(const engine *engine, const char *file, const char *key);

// Runs statements that yield nothing of interest.
void engine_run(const engine *engine, sqlite3 *database, const char *sql);

sqlite3_stmt *engine_prepare(const engine *engine, sqlite3 *database, const char *sql);

// Ends the program when `code` is none of the two.
void engine_check(const engine *engine, sqlite3 *database, int code, int expected);

#endif
