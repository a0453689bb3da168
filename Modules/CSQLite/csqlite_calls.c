#include <string.h>

#include "CSQLite.h"

int csqlite_db_config_flag(const csqlite_functions *functions, sqlite3 *database, int option, int value, int *current) {
  return functions->db_config(database, option, value, current);
}

int64_t csqlite_read_header(const csqlite_functions *functions, sqlite3 *database, void *buffer, int count) {
  memset(buffer, 0, (size_t)count);
  sqlite3_file *file = NULL;
  // https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlfilepointer
  if (functions->file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return -1;
  if (!file || !file->pMethods) return -1;
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return -1;
  if (size == 0) return 0;
  int code = file->pMethods->xRead(file, buffer, count, 0);
  return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ ? size : -1;
}

int csqlite_read_bytes(const csqlite_functions *functions, sqlite3 *database, void *buffer, int count, int64_t offset) {
  sqlite3_file *file = NULL;
  if (functions->file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  return file && file->pMethods && file->pMethods->xRead(file, buffer, count, offset) == SQLITE_OK;
}
