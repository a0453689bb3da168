internal import SQLSyntax

/// Indexes that have one of the two names that this library has used by default.
///
/// If an index has one default name in one schema and the other default name in another schema, this does not count as
/// a schema change.
///
/// Earlier versions of this library used names such as `player_on_score` for all indexes without an explicit name, and
/// not only for indexes that are created with a column. They also created an index for a reference inside the body of
/// `primaryKey`.
extension SchemaSnapshot {
  /// Returns the index of this schema that has the same definition as the given index of another schema, but a
  /// different default name; nil if there is none.
  func counterpart(of index: SchemaObject) -> SchemaObject? {
    guard let expected = DefaultNamedIndex(index) else { return nil }
    return objects.first { object in
      guard object.kind == .index, object.name.asciiLowercased == expected.otherName else { return false }
      return DefaultNamedIndex(object)?.definition == expected.definition
    }
  }

  /// Returns whether the index is one that earlier versions of this library created for a reference inside a primary
  /// key.
  func isOfReferenceInPrimaryKey(_ index: SchemaObject) -> Bool {
    guard let named = DefaultNamedIndex(index), named.isPlain, !named.isLong,
      let sql = object(.table, named: index.tableName)?.sql,
      case .createTable(let table)? = (try? SQLTree(parsing: sql))?.statement
    else { return false }
    let isReference = table.foreignKeys.contains { $0.columns.map(\.folded) == named.columns }
    return isReference && Set(named.columns).isSubset(of: table.primaryKey)
  }
}

/// An index on columns, without expressions, whose name is one of its two default names.
struct DefaultNamedIndex {
  /// The definition in canonical form, with a placeholder for the index's name.
  let definition: String
  /// The default name that the index does not have, in lowercase.
  let otherName: String
  /// The names of the indexed columns, in lowercase.
  let columns: [String]
  /// Whether the index has the longer default name, such as `index_player_on_score`.
  let isLong: Bool
  /// Whether the index is neither unique nor partial.
  let isPlain: Bool

  init?(_ object: SchemaObject) {
    guard object.kind == .index, let sql = object.sql, let tree = try? SQLTree(parsing: sql),
      case .createIndex(let index) = tree.statement
    else { return nil }
    let names = index.columns.compactMap { $0.column?.folded }
    guard names.count == index.columns.count else { return nil }
    let table = object.tableName.asciiLowercased
    let short = NewIndexDescription.shortName(table: table, columns: names)
    let long = NewIndexDescription.defaultName(table: table, columns: names)
    let name = object.name.asciiLowercased
    guard name == short || name == long else { return nil }
    columns = names
    isLong = name == long
    otherName = isLong ? short : long
    isPlain = !index.isUnique && index.condition == nil
    definition = SQLNormalization.canonicalText(of: tree.source.replacing([index.name.name.token], with: "x"))
  }
}
