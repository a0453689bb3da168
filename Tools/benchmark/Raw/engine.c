#include "engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why) {
  fprintf(stderr, "BenchmarkRaw: %s: %s\n", what, why ? why : "unknown");
  exit(1);
}

engine engine_load(const char *path) {
  engine engine;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(path, dlerror());
#define LOAD(f) \
  engine.f = (__typeof__(engine.f))dlsym(library, "sqlite3_" #f); \
  if (!engine.f) fail(path, "sqlite3_" #f " is missing");
  ENGINE_FUNCTIONS(LOAD)
#undef LOAD
  engine.key = (__typeof__(engine.key))dlsym(library, "sqlite3_key");
  return engine;
}

sqlite3 *engine_open(const engine *engine, const char *file, const char *key) {
  sqlite3 *database = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  engine_check(engine, database, engine->open_v2(file, &database, flags, NULL), SQLITE_OK);
  if (*key) {
    if (!engine->key) fail("key", "the library does not support encryption");
    engine_check(engine, database, engine->key(database, key, (int)strlen(key)), SQLITE_OK);
  }
  engine->busy_timeout(database, 5000);
  engine_run(engine, database, "PRAGMA foreign_keys = 1");
  return database;
}

void engine_run(const engine *engine, sqlite3 *database, const char *sql) {
  engine_check(engine, database, engine->exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
}

sqlite3_stmt *engine_prepare(const engine *engine, sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement = NULL;
  engine_check(engine, database, engine->prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  return statement;
}

void engine_check(const engine *engine, sqlite3 *database, int code, int expected) {
  if (code != expected) fail("the engine reports", database ? engine->errmsg(database) : "cannot open");
}
