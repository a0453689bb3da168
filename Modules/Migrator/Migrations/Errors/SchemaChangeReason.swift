/// A reason why a database no longer matches its migrations.
public enum SchemaChangeReason: Sendable, Equatable, CustomStringConvertible {
  /// The database has a migration that is neither registered nor merged: it was removed or renamed.
  case unknownMigration(identifier: String)
  /// The migration `identifier` was applied after `before`, but is now registered before it.
  case reordered(identifier: String, before: String)
  /// The source of an applied migration was edited.
  case edited(identifier: String)
  /// The migrations create an object that the database does not have.
  case missingObject(kind: SchemaObject.Kind, name: String)
  /// The migrations define an object differently than the database does.
  case differentObject(kind: SchemaObject.Kind, name: String, expectedSQL: String, actualSQL: String)
  /// The database has an object that a migration once created, and that the migrations no longer create.
  case leftoverObject(kind: SchemaObject.Kind, name: String)
  /// The migrations now insert other rows into a table than they did when they were applied; found only in a database that
  /// was migrated with ``DatabaseMigrator/eraseDatabaseOnSchemaChange``.
  case differentRows(table: String)

  /// The reason as a sentence without a period.
  public var description: String {
    switch self {
    case .unknownMigration(let identifier):
      "migration \"\(identifier)\" is applied, but was removed or renamed"
    case .reordered(let identifier, let before):
      "migration \"\(identifier)\" was applied after \"\(before)\", but now comes before it"
    case .edited(let identifier): "migration \"\(identifier)\" was edited after it was applied"
    case .missingObject(let kind, let name):
      "the migrations create \(kind.rawValue) \"\(name)\", which the database does not have"
    case .differentObject(let kind, let name, let expected, let actual):
      "\(kind.rawValue) \"\(name)\" differs\n  migrations: \(expected)\n  database:   \(actual)"
    case .leftoverObject(let kind, let name):
      "\(kind.rawValue) \"\(name)\" was created by a migration, but no migration creates it now"
    case .differentRows(let table):
      "the migrations now leave other rows in table \"\(table)\" than when they were applied"
    }
  }
}
