internal import Migrator

/// Gives a connection a larger page cache for as long as this lives.
///
/// A check of foreign keys reads a table in its order and another one at random: with the default cache of 2 MB the second
/// is thrown out by the first, and the check takes three times as long as with 16 MB. More does not help.
/// https://www.sqlite.org/pragma.html#pragma_cache_size
final class CacheEnlargement {
  private let connection: any SQLiteConnection
  private let earlier: Int64
  private var isOver = false

  init?(_ connection: any SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    let wanted: Int64 = 16 << 20
    earlier = try connection.integer("PRAGMA main.cache_size") ?? 0
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 4096
    // Pages when positive, KiB when negative.
    let current = earlier < 0 ? -earlier << 10 : earlier * pageSize
    guard current < wanted else { return nil }
    try connection.execute("PRAGMA main.cache_size = -\(wanted >> 10)")
  }

  deinit { end() }

  /// Puts the setting back.
  func end() {
    guard !isOver else { return }
    isOver = true
    // Fails when the connection was closed, and the cache is gone then.
    try? connection.execute("PRAGMA main.cache_size = \(earlier)")
  }
}
