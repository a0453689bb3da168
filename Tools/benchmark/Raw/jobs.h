// The jobs, in plain C against the raw API. Each does what the job of the same name does through the library.

#ifndef BENCHMARK_JOBS_H
#define BENCHMARK_JOBS_H

#include "engine.h"

typedef struct job {
  const engine *engine;
  const char *file;
  const char *key;
  // How many rows.
  long count;
  // The statements of the job; in some jobs one for each migration.
  char **sql;
  int sql_count;
} job;

// Runs statements one by one, to prepare a file.
void job_script(const job *job);

// Opens a database, finds all migrations applied, closes it.
void job_open(const job *job);

// Applies migrations to a database, one commit each.
void job_install(const job *job);

// Applies migrations to a database in one transaction.
void job_install_grouped(const job *job);

// Applies one migration that inserts rows through a prepared statement.
void job_insert(const job *job);

// Applies one migration that recreates a table, foreign keys switched off and checked before the commit.
void job_recreate(const job *job);

// Reads rows of an integer, a text and a number.
void job_read(const job *job);

// Exports a database without encryption into an encrypted one beside it, whose name ends in `.out`, as SQLCipher's
// documentation shows it: https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export
void job_export(const job *job);

#endif
