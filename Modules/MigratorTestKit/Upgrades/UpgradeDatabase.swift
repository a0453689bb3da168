public import Migrator
internal import SQLiteDialect

/// A database at an earlier version, which a test can upgrade.
public final class UpgradeDatabase {
  /// The queue that accesses the database.
  public let queue: DatabaseQueue
  /// The last migration that was applied; nil for an empty database.
  public private(set) var version: String?

  private let start: String?
  private let test: UpgradeTest

  init(_ queue: DatabaseQueue, at version: String?, test: UpgradeTest) {
    self.queue = queue
    self.version = version
    start = version
    self.test = test
  }

  /// Runs the next pending migration.
  ///
  /// - Returns: The name of the migration; nil if none is pending, and the database is unchanged.
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

  /// Runs all pending migrations up to and including the given one.
  ///
  /// - Parameter version: The last migration to run; nil to run all.
  /// - Throws: ``MigrationError``.
  public func upgrade(to version: String? = nil) throws {
    guard let target = version ?? test.migrator.migrations.last else { return }
    try test.migrator.migrate(queue, upTo: target)
    self.version = target
  }

  /// Throws unless the database is equivalent to a fresh install of the same version: the schemas are equal, no foreign
  /// key is violated, and the file is intact.
  ///
  /// - Throws: ``UpgradeFailure`` if the database is not equivalent; ``DatabaseError`` if it cannot be read.
  public func expectFreshInstall() throws {
    guard let version else { return }
    try expect(test.freshSchema(upTo: version))
  }

  /// Closes the database.
  public func close() {
    // If closing fails, the connection is released together with its queue.
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
      if violations > 10 { reasons.append("\(violations - 10) more foreign key violations") }
      let findings = try IntegrityCheck.findings(db, limit: 100)
      if !findings.isEmpty { reasons.append("the file is damaged: \(findings.joined(separator: ", "))") }
      return reasons
    }
    guard reasons.isEmpty else { throw UpgradeFailure(start: start, end: version, reasons: reasons) }
  }

  private static func sentence(_ reason: SchemaChangeReason) -> String {
    switch reason {
    case .missingObject(let kind, let name):
      "a fresh install has \(kind.rawValue) \"\(name)\", but the upgrade does not"
    case .leftoverObject(let kind, let name):
      "the upgrade has \(kind.rawValue) \"\(name)\", but a fresh install does not"
    case .differentObject(let kind, let name, let expected, let actual):
      "\(kind.rawValue) \"\(name)\" differs\n  fresh install: \(expected)\n  upgrade:       \(actual)"
    case .unknownMigration, .reordered, .edited, .differentRows: "\(reason)"
    }
  }
}
