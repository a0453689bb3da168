// The SQLite that belongs to the system, where it does: on Apple platforms. Elsewhere this target defines nothing.

#ifndef CSYSTEMSQLITE_H
#define CSYSTEMSQLITE_H

/// Returns the functions of the system's SQLite, as `EngineSource.linked` expects them; only on Apple platforms.
const void *_Nonnull csqlite_system(void);

#endif
