/// The reason why migrations cannot be marked as applied; nothing was done.
public enum BaselineRefusal: Sendable, CustomStringConvertible {
  /// The database does not have the schema that the migrations up to `last` create.
  case schemaDiffers(last: String, reasons: [SchemaChangeReason])
  /// The database has `objects` that only the later `migration` creates, so the database is already beyond the
  /// migration `last`.
  case schemaBeyond(last: String, migration: String, objects: [String])
  /// The database already has a history: `applied` does not contain all of the migrations to mark.
  case alreadyMigrated(applied: [String])
  /// A migration failed on an empty database, so the schema that it creates is unknown.
  case replayFailed(MigrationFailure)

  /// A description of the problem, and how to fix it.
  public var description: String {
    switch self {
    case .schemaDiffers(let last, let reasons):
      "the database does not have the schema that the migrations up to \"\(last)\" create:\n"
        + reasons.map { "- \($0)\n" }.joined()
        + "Nothing was done. Name the last migration whose changes are in the database, or correct the migrations."
    case .schemaBeyond(let last, let migration, let objects):
      "the database is beyond migration \"\(last)\": it has \(objects.joined(separator: ", ")), which migration "
        + "\"\(migration)\" creates. Nothing was done. Name the last migration whose changes are in the database."
    case .alreadyMigrated(let applied):
      "the database already has a history of \(applied.count) \(applied.count == 1 ? "migration" : "migrations"). "
        + "Nothing was done. Migrate it with `migrate(_:)`, or name the last migration whose changes are in the database."
    case .replayFailed(let failure):
      "the migrations failed on an empty database, so their schema could not be compared. Nothing was done.\n"
        + failure.descriptionOfReplay
    }
  }
}
