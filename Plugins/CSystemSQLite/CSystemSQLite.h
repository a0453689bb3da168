// The SQLite that belongs to the system, where it does: on Apple platforms. Elsewhere this target is empty.

#ifndef CSYSTEMSQLITE_H
#define CSYSTEMSQLITE_H

#ifdef __APPLE__
/// Returns the functions of the system's SQLite, as `EngineSource.linked` expects them.
const void *_Nonnull csqlite_system(void);
#endif

#endif
