#include <sqlite3.h>  // for the app's own connections

// sample
const void *_Nonnull app_sqlcipher(void);
// end of sample
