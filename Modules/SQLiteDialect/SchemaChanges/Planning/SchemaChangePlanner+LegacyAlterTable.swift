internal import Migrator

extension SchemaChangePlanner {
  /// Chooses whether renaming a table leaves references to it in triggers, views and foreign keys as they are.
  ///
  /// The setting is the connection's own, works inside a transaction, and goes back to what it is now afterwards, also
  /// when a statement fails. Engines that lack it have one way only.
  ///
  /// Source: https://www.sqlite.org/pragma.html#pragma_legacy_alter_table
  mutating func setLegacyAlterTable(_ isOn: Bool) throws(DatabaseError) {
    guard features.hasLegacyAlterTable, try isLegacyAlterTable() != isOn else { return }
    emit(Self.legacyAlterTable(isOn))
    let restoring = Self.legacyAlterTable(!isOn)
    if !plan.restoring.contains(restoring) { plan.restoring.append(restoring) }
  }

  /// Sets the connection's own choice again, for the statements that follow.
  mutating func restoreLegacyAlterTable() throws(DatabaseError) {
    guard features.hasLegacyAlterTable else { return }
    let own = Self.legacyAlterTable(try isLegacyAlterTable())
    if plan.restoring.contains(own) { emit(own) }
  }

  private func isLegacyAlterTable() throws(DatabaseError) -> Bool {
    try connection.integer("PRAGMA legacy_alter_table") == 1
  }

  private static func legacyAlterTable(_ isOn: Bool) -> String { "PRAGMA legacy_alter_table=\(isOn ? "ON" : "OFF")" }
}
