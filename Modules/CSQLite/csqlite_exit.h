// What csqlite_load needs of csqlite_exit.c.

#ifndef CSQLITE_EXIT_H
#define CSQLITE_EXIT_H

#include "CSQLite.h"

// Guards the calls of a library that encrypts, which has sqlite3_key_v2. Those beyond the fourth are not guarded.
void csqlite_guard(csqlite_library *library);

#endif
