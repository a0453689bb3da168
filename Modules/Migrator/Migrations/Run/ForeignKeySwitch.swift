/// Switches the enforcement of foreign keys between migrations, and puts it back at the end of a run.
///
/// The switch does nothing inside a transaction (https://www.sqlite.org/pragma.html#pragma_foreign_keys), so it is
/// thrown before a transaction begins; the backend reads the setting back.
final class ForeignKeySwitch {
  private let db: Database
  private var isOn: Bool

  /// Whether foreign keys were enforced before the run: only then are they checked.
  let wasOn: Bool

  init(_ db: Database) throws {
    self.db = db
    wasOn = try db.connection.enforcesForeignKeys()
    isOn = wasOn
  }

  /// Gets ready for a migration.
  func set(for mode: Migration.ForeignKeyMode) throws { try set(wasOn && mode == .immediate) }

  /// Puts the setting back.
  func restore() throws { try set(wasOn) }

  private func set(_ on: Bool) throws {
    guard on != isOn else { return }
    try db.connection.setEnforcesForeignKeys(on)
    isOn = on
  }
}
