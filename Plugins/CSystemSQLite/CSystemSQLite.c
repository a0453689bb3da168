#include "CSystemSQLite.h"

#ifdef __APPLE__
#include <CSQLiteLinked.h>

CSQLITE_LINKED(csqlite_system)
#endif
