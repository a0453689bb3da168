internal import SQLSyntax

/// A column as the engine describes it.
public struct ColumnDescription: Sendable, Hashable, Codable {
  /// The column's name as it was written.
  public var name: String
  /// The declared type as it was written, empty when there is none.
  public var declaredType: String
  /// Whether NOT NULL was declared.
  public var isNotNull: Bool
  /// The default's SQL text; nil when none was declared.
  public var defaultSQL: String?
  /// The place in the primary key, from 1; zero when the column is not part of it.
  public var primaryKeyPosition: Int
  /// Whether the value is computed, and thus cannot be written.
  public var isGenerated: Bool
  /// Whether a generated column's value is kept in the row; otherwise it is computed at each read.
  public var isStored: Bool

  /// Whether the column is one of a virtual table's hidden ones, which `SELECT *` leaves out.
  ///
  /// Engines before SQLite 3.26 do not tell of such columns.
  public var isHidden: Bool

  /// What happens when NULL meets NOT NULL; nil when the declaration leaves it to the engine.
  ///
  /// This, the name, the collation and the expression stand in the table's definition, and a connection leaves them
  /// out.
  public var notNullConflict: ConflictResolution?

  /// The name of the NOT NULL constraint; nil for none.
  public var notNullName: String?
  /// The declared collation; nil for none.
  public var collation: String?
  /// The expression of a generated column, as SQL; nil for an ordinary column.
  public var generatedSQL: String?

  /// Creates a description.
  public init(
    name: String, declaredType: String, isNotNull: Bool, defaultSQL: String?, primaryKeyPosition: Int,
    isGenerated: Bool, isStored: Bool = false, isHidden: Bool = false
  ) {
    self.name = name
    self.declaredType = declaredType
    self.isNotNull = isNotNull
    self.defaultSQL = defaultSQL
    self.primaryKeyPosition = primaryKeyPosition
    self.isGenerated = isGenerated
    self.isStored = isStored
    self.isHidden = isHidden
  }

  /// How the column treats the values that it is given.
  public var affinity: ColumnAffinity { ColumnAffinity(declaredType: declaredType) }
}

/// How a column treats the values that it is given
/// (https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
public enum ColumnAffinity: String, Sendable, Hashable, Codable, CaseIterable {
  /// Numbers become text.
  case text
  /// Text that looks like a number becomes one, whole numbers integers.
  case numeric
  /// As numeric; casts differ.
  case integer
  /// Text that looks like a number becomes one, and numbers floating-point ones.
  case real
  /// Values stay as they are.
  case blob

  /// The affinity of a declared type in an ordinary table, which the letters in it tell.
  public init(declaredType: String) {
    let type = declaredType.asciiLowercased
    let holds = { (words: [String]) in words.contains { type.utf8.contains($0.utf8) } }
    if holds(["int"]) {
      self = .integer
    } else if holds(["char", "clob", "text"]) {
      self = .text
    } else if type.isEmpty || holds(["blob"]) {
      self = .blob
    } else {
      self = holds(["real", "floa", "doub"]) ? .real : .numeric
    }
  }
}
