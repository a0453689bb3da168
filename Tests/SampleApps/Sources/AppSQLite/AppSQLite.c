// sample
#define CSQLITE_LINKED_OPTIONAL(X) X(compileoption_used) X(set_last_insert_rowid) X(txn_state)
// end of sample
#include <CSQLiteLinked.h>
CSQLITE_LINKED(app_sqlite)
