/// A statement that a migration ran in a rehearsal.
public struct RehearsedStatement: Sendable, Hashable {
  /// The migration that ran it.
  public let migration: String

  /// Its text; values that were bound to it are not shown, those that stand in the text are.
  public let sql: String

  /// Whether it changes nothing in the database.
  public let isReadOnly: Bool

  /// Whether a backend made it out of a schema change such as `db.alter(table:)`.
  public let isOfBackend: Bool

  /// How many times it ran: one with parameters in the whole migration, another one in a row.
  public internal(set) var runCount: Int
}
