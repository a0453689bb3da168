#include <string.h>

#include "CSQLiteLoader.h"

int csqlite_db_config_flag(const csqlite_functions *functions, sqlite3 *database, int option, int value, int *current) {
  return functions->db_config(database, option, value, current);
}

int csqlite_has_moved(const csqlite_functions *functions, sqlite3 *database, const char *schema) {
  int moved = 0;
  return functions->file_control(database, schema, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

// https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html: SQLITE_FCNTL_FILE_POINTER and
// SQLITE_FCNTL_JOURNAL_POINTER, which in WAL mode is the log's file.
static sqlite3_file *find_file(const csqlite_functions *functions, sqlite3 *database, int is_journal) {
  sqlite3_file *file = NULL;
  int operation = is_journal ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER;
  if (functions->file_control(database, "main", operation, &file) != SQLITE_OK) return NULL;
  return file && file->pMethods ? file : NULL;
}

int csqlite_scrub(const csqlite_functions *functions, sqlite3 *database) {
  static const char zeros[512];
  sqlite3_file *file = find_file(functions, database, 0);
  if (!file) return SQLITE_NOTFOUND;
  int code = file->pMethods->xTruncate(file, 0);
  if (code == SQLITE_OK) code = file->pMethods->xWrite(file, zeros, sizeof zeros, 0);
  if (code == SQLITE_OK) code = file->pMethods->xSync(file, SQLITE_SYNC_FULL);
  return code;
}

static int are_equal(const csqlite_functions *functions, sqlite3_value *one, sqlite3_value *other) {
  int type = functions->value_type(one);
  if (type != functions->value_type(other)) return 0;
  switch (type) {
    case SQLITE_NULL: return 1;
    case SQLITE_INTEGER: return functions->value_int64(one) == functions->value_int64(other);
    case SQLITE_FLOAT: {
      double first = functions->value_double(one), second = functions->value_double(other);
      return !memcmp(&first, &second, sizeof first);
    }
    default: {
      // Read the text or blob before its length: https://www.sqlite.org/c3ref/column_blob.html.
      const void *first = type == SQLITE_TEXT ? functions->value_text(one) : functions->value_blob(one);
      const void *second = type == SQLITE_TEXT ? functions->value_text(other) : functions->value_blob(other);
      int count = functions->value_bytes(one);
      if (count != functions->value_bytes(other)) return 0;
      return !count || (first && second && !memcmp(first, second, (size_t)count));
    }
  }
}

int csqlite_different_column(const csqlite_functions *functions, sqlite3_stmt *one, sqlite3_stmt *other, int columns) {
  for (int column = 0; column < columns; column++)
    if (!are_equal(functions, functions->column_value(one, column), functions->column_value(other, column)))
      return column;
  return -1;
}

int64_t csqlite_file_size(const csqlite_functions *functions, sqlite3 *database, int is_journal) {
  sqlite3_file *file = find_file(functions, database, is_journal);
  sqlite3_int64 size = 0;
  return file && file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

int csqlite_file_read(const csqlite_functions *functions, sqlite3 *database, int is_journal, void *buffer, int count,
                      int64_t offset) {
  sqlite3_file *file = find_file(functions, database, is_journal);
  return file ? file->pMethods->xRead(file, buffer, count, offset) : SQLITE_IOERR_READ;
}
