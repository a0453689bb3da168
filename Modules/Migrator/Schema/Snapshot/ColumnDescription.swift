internal import SQLSyntax

/// A column as the engine describes it.
public struct ColumnDescription: Sendable, Equatable, Encodable {
  /// The column's name as written.
  public var name: String
  /// The declared type as written; empty if there is none.
  public var declaredType: String
  /// Whether NOT NULL was declared.
  public var isNotNull: Bool
  /// The default's SQL text; nil if none was declared.
  public var defaultValueSQL: String?
  /// The position in the primary key, from 1; zero if the column is not part of it.
  public var primaryKeyIndex: Int
  /// Whether the column is generated and thus cannot be written.
  public var isGenerated: Bool
  /// Whether a generated column's value is stored in the row; otherwise it is computed at each read.
  public var isStored: Bool

  /// Whether the column is a hidden column of a virtual table, which `SELECT *` leaves out.
  ///
  /// Engines before SQLite 3.26 do not report hidden columns.
  public var isHidden: Bool

  /// The `ON CONFLICT` clause of the NOT NULL constraint; nil if it has none.
  ///
  /// This property, ``notNullName``, ``collation`` and ``generatedSQL`` are parsed from the table's definition; a
  /// connection does not report them.
  public var notNullConflict: ConflictResolution?

  /// The name of the NOT NULL constraint; nil for none.
  public var notNullName: String?
  /// The declared collation; nil for none.
  public var collation: String?
  /// The expression of a generated column, as SQL; nil for an ordinary column.
  public var generatedSQL: String?

  /// Creates a description.
  public init(
    name: String, declaredType: String, isNotNull: Bool, defaultValueSQL: String?, primaryKeyIndex: Int,
    isGenerated: Bool, isStored: Bool = false, isHidden: Bool = false
  ) {
    self.name = name
    self.declaredType = declaredType
    self.isNotNull = isNotNull
    self.defaultValueSQL = defaultValueSQL
    self.primaryKeyIndex = primaryKeyIndex
    self.isGenerated = isGenerated
    self.isStored = isStored
    self.isHidden = isHidden
  }

  /// The declared type under the name that GRDB uses; same as ``declaredType``.
  public var type: String { declaredType }

  /// The affinity of the column, by which the engine converts values.
  public var affinity: ColumnAffinity { ColumnAffinity(declaredType: declaredType) }
}

/// A column affinity, by which the engine converts the values that it stores
/// (https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
public enum ColumnAffinity: String, Sendable, Hashable, Encodable, CaseIterable {
  /// Numbers become text.
  case text
  /// Text that looks like a number becomes a number, if possible an integer.
  case numeric
  /// Values are converted as for ``numeric``; only the results of CAST differ.
  case integer
  /// Numbers, and text that looks like a number, become floating-point numbers.
  case real
  /// Values are not converted.
  case blob

  /// Creates the affinity of a column with the given declared type in an ordinary table.
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
