/// The primary key that a reference refers to.
struct ParentKey {
  /// A column of the key.
  struct Column {
    let name: String
    let type: ColumnType?

    init(name: String, type: ColumnType?) {
      self.name = name
      self.type = type
    }

    /// The column of a name and a declared type, which may be empty.
    init(_ name: String, _ declaredType: String) {
      self.init(name: name, type: declaredType.isEmpty ? nil : ColumnType(declaredType))
    }
  }

  let table: String
  let columns: [Column]
}

/// Finds the key that a reference refers to, through the connection that creates the table.
struct ParentKeyLookup {
  let connection: any DatabaseConnection

  /// The schema of the attached database that the table belongs to; nil for the main schema.
  ///
  /// A foreign key reaches no other schema (https://www.sqlite.org/foreignkeys.html).
  var schema: String?

  /// The key of the table that `reference` names.
  ///
  /// Without an explicit table that is the one of the reference's name, or of its plural: `belongsTo("author")` fits
  /// a table `author` as well as `authors`.
  func key(for reference: ForeignKeyDefinition) throws(DatabaseError) -> ParentKey {
    let candidates = reference.table.map { [$0] } ?? Self.tableNames(for: reference.name)
    for table in candidates {
      guard let columns = try keyColumns(of: table) else { continue }
      return try key(of: table, columns: columns)
    }
    let tried = candidates.map { #""\#($0)""# }.joined(separator: ", ")
    throw DatabaseError(
      .statement, engine: connection.engine.name,
      message: "no such table for belongsTo(\"\(reference.name)\"): looked for \(tried)",
      remedy: "Create the table that is referred to first, or name it with `inTable:`.")
  }

  /// The columns of a table's primary key, in the key's order; nil when there is no such table.
  private func keyColumns(of table: String) throws(DatabaseError) -> [ParentKey.Column]? {
    guard let columns = try connection.columns(in: table, inSchema: schema) else { return nil }
    return columns.filter { $0.primaryKeyPosition > 0 }.sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
      .map { ParentKey.Column($0.name, $0.declaredType) }
  }

  private func key(of table: String, columns keys: [ParentKey.Column]) throws(DatabaseError) -> ParentKey {
    guard !keys.isEmpty else {
      // A hidden rowid cannot be the target of a foreign key: writing would fail with "foreign key mismatch"
      // (https://www.sqlite.org/foreignkeys.html#fk_indexes).
      throw DatabaseError(
        .unsupported, engine: connection.engine.name,
        message: "\"\(table)\" has no primary key that belongsTo could refer to",
        remedy: "Give that table a primary key, or declare the column with `references(_:column:)` to a unique one.")
    }
    return ParentKey(table: table, columns: keys)
  }

  /// A noun and its regular English plural.
  static func tableNames(for name: String) -> [String] {
    var names = [name, name + "s", name + "es"]
    if name.hasSuffix("y") { names.append(name.dropLast() + "ies") }
    return names
  }
}
