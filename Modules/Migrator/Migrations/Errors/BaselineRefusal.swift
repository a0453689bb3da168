/// Why migrations cannot be marked as applied; nothing was done.
public enum BaselineRefusal: Sendable, CustomStringConvertible {
  /// The database does not have the schema that the migrations up to the last one make.
  case schemaDiffers(last: String, reasons: [SchemaChangeReason])
  /// The database has objects that only a migration after the last one makes: it is further than that.
  case schemaBeyond(last: String, migration: String, objects: [String])
  /// The database has a history already, which does not hold all of the migrations.
  case alreadyMigrated(applied: [String])
  /// A migration could not be tried on an empty database, so that the schema that it makes is not known.
  case replayFailed(MigrationFailure)

  /// What blocks it, and what to do.
  public var description: String {
    switch self {
    case .schemaDiffers(let last, let reasons):
      "the database does not have the schema that the migrations up to \"\(last)\" make:\n"
        + reasons.map { "- \($0)\n" }.joined()
        + "Nothing was done. Name the last migration that the database has, or correct the migrations."
    case .schemaBeyond(let last, let migration, let objects):
      "the database is beyond migration \"\(last)\": it has \(objects.joined(separator: ", ")), which migration "
        + "\"\(migration)\" makes. Nothing was done. Name the last migration that the database has."
    case .alreadyMigrated(let applied):
      "the database has a history of \(applied.count) \(applied.count == 1 ? "migration" : "migrations") already. "
        + "Nothing was done. Migrate it with `migrate(_:)`."
    case .replayFailed(let failure):
      "the migrations could not be tried on an empty database to see which schema they make. Nothing was done.\n"
        + "\(failure)"
    }
  }
}
