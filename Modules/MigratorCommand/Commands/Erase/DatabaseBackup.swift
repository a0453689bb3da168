internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The backup of a database, in the same folder, made before the database is erased.
///
/// The `Migrator` module copies the database and verifies the copy. The three newest backups are retained, together
/// with an older one if it has more rows than any of these: several rebuilds of an empty database must not remove the
/// last backup of the user's rows.
struct DatabaseBackup {
  private static let keptCount = 3

  let target: DatabaseTarget
  /// The migrator's and the tool's own tables, whose rows are not counted.
  let ownTables: Set<String>
  let time: UTCTime
  /// The name of a backup that is never removed, because its rows have not been restored yet; nil for none.
  var sparing: String?

  /// Copies the database, from inside a write transaction.
  ///
  /// - Parameter contents: The contents of the database, as read in the same transaction.
  /// - Returns: The path of the backup; relative if the database's path is relative and not a link.
  /// - Throws: ``ToolFailure``, a refusal: without a backup, nothing may be erased. An incomplete backup is removed.
  func make(of db: Database, _ contents: DatabaseContents) throws(ToolFailure) -> String {
    let folder = BackupFolder(ofDatabaseAt: FileSystem.resolve(target.path).path)
    do {
      let moment = "\(time.date)T\(time.time).000Z"
      let backup = try folder.makeBackup(of: db, at: moment) { copy in
        guard try DatabaseContents(copy, besides: ownTables) == contents else {
          throw ToolFailure.refused("the copy differs from the database", remedy: "Try again.")
        }
      }
      removeOutdated(in: folder, newest: contents)
      return FileSystem.path(of: backup.path, besideGiven: target.path)
    } catch {
      throw Self.failure(error, path: target.path)
    }
  }

  private func removeOutdated(in folder: BackupFolder, newest: DatabaseContents) {
    var best = newest.rowCount
    var others = folder.backups.suffix(Self.keptCount).dropLast()
    folder.removeOutdated(keeping: Self.keptCount) { name in
      // A backup that cannot be read, perhaps because it has a different key, is retained.
      guard name != sparing, let rows = rowCount(of: name, in: folder) else { return true }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(of: other, in: folder) ?? 0) }
      return rows > best
    }
  }

  private func rowCount(of name: String, in folder: BackupFolder) -> Int? {
    do {
      let backup = try target.open(backup: "\(folder.path)/\(name)")
      let count = try backup.read { try DatabaseContents($0, besides: ownTables).rowCount }
      try backup.close()
      return count
    } catch {
      return nil
    }
  }

  private static func failure(_ error: any Error, path: String) -> ToolFailure {
    let reason =
      switch error {
      case let error as ToolFailure: ([error.what] + error.why).joined(separator: ": ")
      case let error as DatabaseError: error.message
      default: String(describing: error)
      }
    return .refused(
      "\(path) cannot be backed up, so nothing was erased", why: [reason],
      remedy: "Free up disk space, check the permissions of the folder, or move the file away yourself.")
  }
}

/// The tables and other objects that would be lost if the database were erased.
struct DatabaseContents: Equatable, Sendable {
  struct Table: Equatable, Sendable, Encodable {
    var name: String
    /// The number of rows; nil if they cannot be counted, as in a virtual table whose module is missing, or that stores
    /// no rows (https://www.sqlite.org/fts3.html#contentless_fts4_tables).
    var rows: Int?
    /// The reason why a rebuild did not restore the table's rows; nil if it did not try to restore them.
    var reason: String?
  }

  /// The tables in the order of their creation, without the migrator's own tables.
  private(set) var tables: [Table] = []
  private(set) var otherObjects = 0

  init(_ db: Database, besides ownTables: Set<String>) throws {
    for object in try db.connection.schema().objects {
      guard !ownTables.contains(object.tableName.asciiLowercased), !object.isShadow else { continue }
      switch object.kind {
      case .table: tables.append(Table(name: object.name, rows: try db.rowCount(of: object)))
      case .view, .trigger: otherObjects += 1
      case .index: break
      }
    }
  }

  var isEmpty: Bool { tables.isEmpty && otherObjects == 0 }

  var rowCount: Int { tables.reduce(0) { $0 + ($1.rows ?? 0) } }

  var summary: String { "\(counted(tables.count, "table")) with \(counted(rowCount, "row"))" }

  /// Returns one aligned line per table, with its number of rows; if there are too many tables, only those with the
  /// most rows.
  func lines(style: Style, limit: Int = 12) -> [String] {
    var table = TextTable()
    let shown =
      tables.count > limit + 1 ? Array(tables.sorted { ($0.rows ?? 0) > ($1.rows ?? 0) }.prefix(limit)) : tables
    for entry in shown {
      let rows = entry.rows.map { counted($0, "row") } ?? "cannot be counted"
      table.add([.init(text: entry.name), .init(text: rows, isRightAligned: true)])
    }
    var lines = table.lines(style: style)
    if shown.count < tables.count { lines.append("  and \(tables.count - shown.count) more tables") }
    return lines
  }
}
