// The only list of functions. To use another function, add its name here.

#ifndef CSQLITE_FUNCTIONS_H
#define CSQLITE_FUNCTIONS_H

#include <sqlite3.h>

// Newer than the oldest supported header, or specific to SQLCipher (its header declares them as sqlite3_key_v2 and
// sqlite3_rekey_v2 under SQLITE_HAS_CODEC). If the header declares them too, a difference does not compile. Like the
// header, these declarations do not state which pointers may be null.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
int sqlite3_error_offset(sqlite3 *);                                                  // 3.38
sqlite3_int64 sqlite3_changes64(sqlite3 *);                                           // 3.37
sqlite3_int64 sqlite3_total_changes64(sqlite3 *);                                     // 3.37
int sqlite3_txn_state(sqlite3 *, const char *);                                       // 3.34
int sqlite3_key_v2(sqlite3 *, const char *, const void *, int);                       // SQLCipher
int sqlite3_rekey_v2(sqlite3 *, const char *, const void *, int);                     // SQLCipher
#pragma clang diagnostic pop

/// Functions that every supported engine has; SQLCipher 3.4.1 (SQLite 3.15.2) is the oldest.
#define CSQLITE_REQUIRED(X) \
  X(libversion) X(libversion_number) X(threadsafe) X(errmsg) X(errstr) X(extended_errcode) X(system_errno) \
  X(open_v2) X(close) X(extended_result_codes) X(db_config) X(db_readonly) X(file_control) \
  X(busy_handler) X(progress_handler) X(interrupt) X(set_authorizer) X(get_autocommit) \
  X(changes) X(total_changes) X(last_insert_rowid) X(next_stmt) \
  X(db_filename) X(vfs_find) \
  X(table_column_metadata) \
  X(prepare_v2) X(step) X(reset) X(finalize) X(sql) X(stmt_busy) X(stmt_readonly) X(stmt_status) \
  X(bind_blob64) X(bind_double) X(bind_int64) X(bind_null) X(bind_text64) X(bind_zeroblob) \
  X(bind_parameter_count) X(bind_parameter_name) \
  X(column_count) X(column_name) X(column_text) X(column_value) \
  X(create_collation_v2) X(create_function_v2) X(user_data) \
  X(result_blob64) X(result_double) X(result_error) X(result_int64) X(result_null) X(result_text64) \
  X(result_zeroblob) \
  X(value_blob) X(value_bytes) X(value_double) X(value_int64) X(value_text) X(value_type)

/// Functions that an engine may lack; each one that exists is a capability of the engine.
#define CSQLITE_OPTIONAL(X) \
  X(changes64) X(compileoption_used) X(error_offset) X(key_v2) X(rekey_v2) X(set_last_insert_rowid) X(total_changes64) \
  X(txn_state)

#define CSQLITE_REQUIRED_FIELD(f) __typeof__(&sqlite3_##f) _Nonnull f;
#define CSQLITE_OPTIONAL_FIELD(f) __typeof__(&sqlite3_##f) _Nullable f;

// Allows Swift to share a table between threads: it never changes after it is filled. Swift cannot infer that, because
// it imports variadic functions as opaque pointers.
#define CSQLITE_SENDABLE __attribute__((swift_attr("@Sendable")))

/// The required functions of one library.
typedef struct CSQLITE_SENDABLE csqlite_functions {
  CSQLITE_REQUIRED(CSQLITE_REQUIRED_FIELD)
} csqlite_functions;

/// The optional functions of one library; NULL if missing.
typedef struct CSQLITE_SENDABLE csqlite_optional_functions {
  CSQLITE_OPTIONAL(CSQLITE_OPTIONAL_FIELD)
} csqlite_optional_functions;

#endif
