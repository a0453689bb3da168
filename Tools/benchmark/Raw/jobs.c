#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void job_script(const job *job) {
  sqlite3 *database = engine_open(job->engine, job->file, job->key);
  for (int i = 0; i < job->sql_count; i++) engine_run(job->engine, database, job->sql[i]);
  job->engine->close(database);
}

static int compare(const void *one, const void *other) { return strcmp(*(char *const *)one, *(char *const *)other); }

void job_open(const job *job) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, job->key);
  sqlite3_stmt *statement =
    engine_prepare(e, database, "SELECT identifier FROM main.migrator_history WHERE duration IS NOT NULL");
  char **applied = calloc((size_t)job->count, sizeof(char *));
  long found = 0;
  while (found < job->count && e->step(statement) == SQLITE_ROW)
    applied[found++] = strdup((const char *)e->column_text(statement, 0));
  qsort(applied, (size_t)found, sizeof(char *), compare);
  for (long i = 0; i < job->count; i++) {
    char name[32];
    char *key = name;
    snprintf(name, sizeof name, "migration %ld", i + 1);
    if (!bsearch(&key, applied, (size_t)found, sizeof(char *), compare)) {
      fprintf(stderr, "BenchmarkRaw: %s is not applied\n", name);
      exit(1);
    }
  }
  e->finalize(statement);
  e->close(database);
  for (long i = 0; i < found; i++) free(applied[i]);
  free(applied);
}

static void create_ledger(const engine *e, sqlite3 *database) {
  engine_run(e, database,
             "CREATE TABLE IF NOT EXISTS migrator_history (sequence INTEGER PRIMARY KEY,"
             " identifier TEXT NOT NULL UNIQUE, position INTEGER NOT NULL, applied_at TEXT NOT NULL, duration REAL,"
             " fingerprint TEXT, checksum TEXT, objects TEXT)");
}

static sqlite3_stmt *prepare_entry(const engine *e, sqlite3 *database) {
  return engine_prepare(e, database,
                        "INSERT INTO migrator_history (identifier, position, applied_at, duration, fingerprint, checksum,"
                        " objects) VALUES (?, ?, '2026-01-31T23:59:59.123Z', ?, '0123456789abcdef0123456789abcdef', NULL,"
                        " '+table something')");
}

static void insert_entry(const engine *e, sqlite3 *database, sqlite3_stmt *statement, int position) {
  char name[32];
  int length = snprintf(name, sizeof name, "migration %d", position + 1);
  e->bind_text(statement, 1, name, length, SQLITE_TRANSIENT);
  e->bind_int64(statement, 2, position);
  e->bind_double(statement, 3, 0.001);
  engine_check(e, database, e->step(statement), SQLITE_DONE);
  e->reset(statement);
}

// Applies all migrations, in one transaction or in one transaction each.
static void install(const job *job, int grouped) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, job->key);
  sqlite3_stmt *entry = NULL;
  for (int i = 0; i < job->sql_count; i++) {
    if (i == 0 || !grouped) engine_run(e, database, "BEGIN IMMEDIATE");
    if (!entry) {
      create_ledger(e, database);
      entry = prepare_entry(e, database);
    }
    engine_run(e, database, job->sql[i]);
    insert_entry(e, database, entry, i);
    if (i == job->sql_count - 1 || !grouped) engine_run(e, database, "COMMIT");
  }
  e->finalize(entry);
  e->close(database);
}

void job_install(const job *job) { install(job, 0); }

void job_install_grouped(const job *job) { install(job, 1); }

void job_insert(const job *job) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, job->key);
  engine_run(e, database, "BEGIN IMMEDIATE");
  create_ledger(e, database);
  engine_run(e, database, job->sql[0]);
  sqlite3_stmt *insert = engine_prepare(e, database, job->sql[1]);
  for (long i = 0; i < job->count; i++) {
    e->bind_int64(insert, 1, i);
    e->bind_text(insert, 2, "name", 4, SQLITE_TRANSIENT);
    e->bind_double(insert, 3, 1.5);
    engine_check(e, database, e->step(insert), SQLITE_DONE);
    e->reset(insert);
  }
  e->finalize(insert);
  sqlite3_stmt *entry = prepare_entry(e, database);
  insert_entry(e, database, entry, 0);
  e->finalize(entry);
  engine_run(e, database, "COMMIT");
  e->close(database);
}

void job_recreate(const job *job) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, job->key);
  // https://www.sqlite.org/lang_altertable.html#otheralter, steps 1, 2, 10, 11 and 12 around the migration's steps.
  engine_run(e, database, "PRAGMA foreign_keys = 0; BEGIN IMMEDIATE");
  create_ledger(e, database);
  engine_run(e, database, job->sql[0]);
  sqlite3_stmt *check = engine_prepare(e, database, "PRAGMA foreign_key_check");
  engine_check(e, database, e->step(check), SQLITE_DONE);
  e->finalize(check);
  sqlite3_stmt *entry = prepare_entry(e, database);
  insert_entry(e, database, entry, 0);
  e->finalize(entry);
  engine_run(e, database, "COMMIT; PRAGMA foreign_keys = 1");
  e->close(database);
}

void job_read(const job *job) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, job->key);
  sqlite3_stmt *statement = engine_prepare(e, database, job->sql[0]);
  double sum = 0;
  long rows = 0;
  int code;
  while ((code = e->step(statement)) == SQLITE_ROW) {
    sum += (double)e->column_int64(statement, 0);
    // Reads the text, as a program would; the library creates a String from it.
    const unsigned char *text = e->column_text(statement, 1);
    sum += e->column_bytes(statement, 1) + text[0];
    sum += e->column_double(statement, 2);
    rows++;
  }
  engine_check(e, database, code, SQLITE_DONE);
  e->finalize(statement);
  e->close(database);
  if (rows != job->count || sum <= 0) {
    fprintf(stderr, "BenchmarkRaw: %ld rows instead of %ld\n", rows, job->count);
    exit(1);
  }
}

void job_export(const job *job) {
  const engine *e = job->engine;
  sqlite3 *database = engine_open(e, job->file, "");
  sqlite3_stmt *attach = engine_prepare(e, database, "ATTACH ? || '.out' AS encrypted KEY ?");
  e->bind_text(attach, 1, job->file, -1, SQLITE_TRANSIENT);
  e->bind_text(attach, 2, job->key, -1, SQLITE_TRANSIENT);
  engine_check(e, database, e->step(attach), SQLITE_DONE);
  e->finalize(attach);
  engine_run(e, database, "SELECT sqlcipher_export('encrypted'); DETACH encrypted");
  e->close(database);
}

enum { fleet_threads = 2 };

typedef struct fleet {
  const job *job;
  void (*run)(const struct job *job);
  atomic_long next;
} fleet;

static void *serve(void *argument) {
  fleet *fleet = argument;
  char path[4096];
  for (long number; (number = fleet->next++) < fleet->job->count;) {
    snprintf(path, sizeof path, "%s/%ld", fleet->job->file, number);
    job one = *fleet->job;
    one.file = path;
    one.count = one.sql_count;
    fleet->run(&one);
  }
  return NULL;
}

static void run_fleet(const job *job, void (*run)(const struct job *job)) {
  fleet fleet = {job, run, 0};
  pthread_t threads[fleet_threads];
  // Fails only if the folder exists.
  mkdir(job->file, 0777);
  for (int i = 0; i < fleet_threads; i++) pthread_create(&threads[i], NULL, serve, &fleet);
  for (int i = 0; i < fleet_threads; i++) pthread_join(threads[i], NULL);
}

void job_fleet_open(const job *job) { run_fleet(job, job_open); }

void job_fleet_install(const job *job) { run_fleet(job, job_install); }
