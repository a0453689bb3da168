// The interface of csqlite_exit.c for csqlite_load.

#ifndef CSQLITE_EXIT_H
#define CSQLITE_EXIT_H

#include "CSQLiteLoader.h"

// Guards the calls of a library that encrypts, which has sqlite3_key_v2. At most four libraries are guarded.
void csqlite_guard(csqlite_library *library);

#endif
