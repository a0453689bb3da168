/// What one rebuild under `watch` leaves for the next.
final class WatchSession {
  /// The database, whose key is asked for once.
  let database: DatabaseTarget

  /// Whether somebody has agreed that the database is erased at each save.
  var isPermitted = false

  /// Whether the database is rebuilt although no migration changed: the seed did, or the last try failed half-way.
  var forces = false

  /// What the migrations and the seed made of each table the last time; nil while that is unknown.
  var made: TableDigests?

  /// Begins a session.
  init(database: DatabaseTarget) { self.database = database }
}
