// sample
#define CSQLITE_LINKED_OPENSSL
#include <CSQLiteLinked.h>
CSQLITE_LINKED(app_sqlcipher)
// end of sample
