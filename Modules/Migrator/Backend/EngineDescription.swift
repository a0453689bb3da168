/// What runs behind a connection.
public struct EngineDescription: Sendable, Hashable {
  /// The engine's name as its users know it.
  public var name: String

  /// The engine's version, for people.
  public var version: String

  /// What the engine can do.
  public var abilities: EngineAbilities

  /// Creates a description.
  public init(name: String, version: String, abilities: EngineAbilities) {
    self.name = name
    self.version = version
    self.abilities = abilities
  }
}

/// What an engine can do beyond what all of them can.
public struct EngineAbilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `ALTER TABLE ... RENAME COLUMN`.
  public static let renameColumn = EngineAbilities(rawValue: 1 << 0)
  /// `ALTER TABLE ... DROP COLUMN`.
  public static let dropColumn = EngineAbilities(rawValue: 1 << 1)
  /// `INSERT ... ON CONFLICT DO`.
  public static let upsert = EngineAbilities(rawValue: 1 << 2)
  /// `RETURNING`.
  public static let returning = EngineAbilities(rawValue: 1 << 3)
  /// `STRICT` tables.
  public static let strictTables = EngineAbilities(rawValue: 1 << 4)
  /// Generated columns.
  public static let generatedColumns = EngineAbilities(rawValue: 1 << 5)
  /// Window functions.
  public static let windowFunctions = EngineAbilities(rawValue: 1 << 6)
  /// The place of an error in its statement.
  public static let errorOffsets = EngineAbilities(rawValue: 1 << 7)
  /// Encryption of the file.
  public static let encryption = EngineAbilities(rawValue: 1 << 8)
  /// Full-text search by the module FTS4.
  public static let fts4 = EngineAbilities(rawValue: 1 << 9)
  /// Full-text search by the module FTS5.
  public static let fts5 = EngineAbilities(rawValue: 1 << 10)
}
