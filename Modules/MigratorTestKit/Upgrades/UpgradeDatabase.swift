public import Migrator

/// A database of some version that is brought to later ones.
public final class UpgradeDatabase {
  /// The database.
  public let queue: DatabaseQueue
  /// Its last migration; nil when it is empty.
  public private(set) var version: String?

  private let start: String?
  private let test: UpgradeTest

  init(_ queue: DatabaseQueue, at version: String?, test: UpgradeTest) {
    self.queue = queue
    self.version = version
    start = version
    self.test = test
  }

  /// Runs the next migration.
  ///
  /// - Returns: Its name; nil when there was none left, and nothing happened.
  /// - Throws: ``MigrationError``.
  @discardableResult
  public func step() throws -> String? {
    let applied = try queue.read { db in try test.migrator.appliedIdentifiers(db) }
    let completed = try queue.read { db in try test.migrator.completedMigrations(db).count }
    guard let next = test.migrator.migrations.dropFirst(completed).first(where: { !applied.contains($0) }) else {
      return nil
    }
    try upgrade(to: next)
    return next
  }

  /// Runs all migrations up to one, itself included.
  ///
  /// - Parameter version: The last one to run; nil for all.
  /// - Throws: ``MigrationError``.
  public func upgrade(to version: String? = nil) throws {
    guard let target = version ?? test.migrator.migrations.last else { return }
    try test.migrator.migrate(queue, upTo: target)
    self.version = target
  }

  /// Fails unless the database is as a fresh install of its version would be: the same schema by its meaning, no row
  /// that refers to nothing, and a sound file.
  ///
  /// - Throws: ``UpgradeFailure``; ``DatabaseError``.
  public func expectFreshInstall() throws {
    guard let version else { return }
    try expect(test.freshSchema(upTo: version))
  }

  /// Closes the database.
  public func close() {
    // One that cannot be closed in good order is released with its queue.
    try? queue.close()
  }

  func finish(isStepwise: Bool, fresh: SchemaSnapshot, check: (Database) throws -> Void) throws {
    if isStepwise {
      while try step() != nil {}
    } else {
      try upgrade()
    }
    try expect(fresh)
    try queue.read { db in try check(db) }
  }

  private func expect(_ fresh: SchemaSnapshot) throws {
    let reasons = try queue.read { db in
      var reasons = try test.migrator.differences(of: db, from: fresh).map(Self.sentence)
      var violations = 0
      let cursor = try db.foreignKeyViolations()
      while let violation = try cursor.next() {
        violations += 1
        if violations <= 10 { reasons.append("\(violation)") }
      }
      if violations > 10 { reasons.append("\(violations - 10) more violations of foreign keys") }
      let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
      if integrity != ["ok"] { reasons.append("the file is not sound: \(integrity.joined(separator: ", "))") }
      return reasons
    }
    guard reasons.isEmpty else { throw UpgradeFailure(start: start, end: version, reasons: reasons) }
  }

  private static func sentence(_ reason: SchemaChangeReason) -> String {
    switch reason {
    case .missingObject(let kind, let name): "a fresh install has \(kind.rawValue) \"\(name)\", and the upgrade has not"
    case .leftoverObject(let kind, let name):
      "the upgrade has \(kind.rawValue) \"\(name)\", and a fresh install has not"
    case .differentObject(let kind, let name, let expected, let actual):
      "\(kind.rawValue) \"\(name)\" differs\n  fresh install: \(expected)\n  upgrade:       \(actual)"
    case .unknownMigration, .reordered, .edited: "\(reason)"
    }
  }
}
