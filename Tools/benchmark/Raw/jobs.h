// The jobs in plain C, with the raw API. Each one does the same as the library's job of that name.

#ifndef BENCHMARK_JOBS_H
#define BENCHMARK_JOBS_H

#include "engine.h"

typedef struct job {
  const engine *engine;
  const char *file;
  const char *key;
  // The number of rows.
  long count;
  // The statements of the job; in some jobs, one for each migration.
  char **sql;
  int sql_count;
} job;

// Runs statements one by one, to prepare a file.
void job_script(const job *job);

// Opens a database, checks that all migrations are applied, and closes it.
void job_open(const job *job);

// Applies migrations to a database, one commit each.
void job_install(const job *job);

// Applies migrations to a database in one transaction.
void job_install_grouped(const job *job);

// Applies one migration that inserts rows through a prepared statement.
void job_insert(const job *job);

// Applies one migration that recreates a table, with foreign keys off and checked before the commit.
void job_recreate(const job *job);

// Does `job_open` for each database of a folder, on as many threads as the library uses; the file names are numbers.
void job_fleet_open(const job *job);

// Does `job_install` for each database of a folder, which is created, on as many threads as the library uses.
void job_fleet_install(const job *job);

// Reads rows with an integer, a text and a floating-point number.
void job_read(const job *job);

// Exports a plain database to an encrypted one in the same folder, whose name ends in `.out`, as in SQLCipher's
// documentation: https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export
void job_export(const job *job);

#endif
