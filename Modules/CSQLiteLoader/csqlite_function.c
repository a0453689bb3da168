#include <pthread.h>
#include <string.h>

#include "CSQLiteLoader.h"

// The engine passes a call nothing but a context, which only the same copy's sqlite3_user_data can read: each copy needs
// an entry point that knows the copy.
#define COPIES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

typedef struct copy {
  csqlite_functions functions;
  csqlite_call call;
} copy;

static copy copies[8];
static int count_of_copies;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define DEFINE_ENTRY(n) \
  static void entry_##n(sqlite3_context *context, int count, sqlite3_value **values) { \
    copies[n].call(&copies[n].functions, copies[n].functions.user_data(context), context, count, values); \
  }
COPIES(DEFINE_ENTRY)

#define LIST_ENTRY(n) entry_##n,
static void (*const entries[])(sqlite3_context *, int, sqlite3_value **) = {COPIES(LIST_ENTRY)};

// The place of a copy, which it keeps until the process ends; -1 when there are more copies than entry points.
static int find_place(const csqlite_functions *functions, csqlite_call call) {
  pthread_mutex_lock(&mutex);
  int place = 0;
  while (place < count_of_copies && copies[place].functions.libversion != functions->libversion) place++;
  if (place == count_of_copies) {
    if (place == sizeof entries / sizeof entries[0]) {
      place = -1;
    } else {
      copies[count_of_copies++] = (copy){*functions, call};
    }
  }
  pthread_mutex_unlock(&mutex);
  return place;
}

int csqlite_create_function(const csqlite_functions *functions, sqlite3 *database, const char *name, int count,
                            int flags, void *data, csqlite_call call, void (*release)(void *)) {
  int place = find_place(functions, call);
  if (place >= 0)
    return functions->create_function_v2(database, name, count, SQLITE_UTF8 | flags, data, entries[place], NULL, NULL,
                                         release);
  release(data);
  return -1;
}
