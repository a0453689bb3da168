internal import SQLSyntax

/// The tables and columns that the user declares to be renamed.
///
/// If a rename is not declared, the data under the old name is lost, and the new object is empty.
package struct SchemaRenames: Sendable, Equatable {
  /// The later name of each renamed table, by the earlier name.
  package var tables: [String: String] = [:]
  /// The later names of renamed columns by their earlier names, for each table by its earlier name.
  package var columns: [String: [String: String]] = [:]

  /// A mistake in the declaration of a rename.
  package enum Failure: Error, Sendable, Equatable {
    /// The text does not have the form `OLD=NEW`.
    case malformed(String)
    /// The earlier schema has no such table.
    case noSuchTable(String)
    /// The table of the earlier schema has no such column.
    case noSuchColumn(String, table: String)
    /// Two tables or two columns would get the same name, or one of them would get two names.
    case nameTakenTwice(String)
  }

  /// Creates a value; by default, without renames.
  package init(tables: [String: String] = [:], columns: [String: [String: String]] = [:]) {
    (self.tables, self.columns) = (tables, columns)
  }

  /// Creates a value from pairs of an old and a new name.
  ///
  /// An old name is a table of the earlier schema or of another pair, or one of its columns as `TABLE.COLUMN`; the new
  /// name of a column may also follow its table.
  package init(_ pairs: [(old: String, new: String)], of before: SchemaSnapshot) throws(Failure) {
    var newColumns: [(table: String, old: String, new: String)] = []
    let isTable = { (name: String) in before.object(.table, named: name) != nil || pairs.contains { $0.old == name } }
    for (old, new) in pairs {
      // A table's name may itself contain a period.
      let stop = old.indices.first { old[$0] == "." && isTable(String(old[..<$0])) }
      if before.object(.table, named: old) == nil, let stop {
        newColumns.append((String(old[..<stop]), String(old[old.index(after: stop)...]), new))
      } else {
        guard tables.updateValue(new, forKey: old) == nil else { throw .nameTakenTwice(old) }
      }
    }
    for (table, old, new) in newColumns {
      let prefixes = [table, tables[table] ?? table].map { "\($0.asciiLowercased)." }
      let prefix = prefixes.first { new.asciiLowercased.hasPrefix($0) && new.utf8.count > $0.utf8.count }
      let name = prefix.map { String(decoding: new.utf8.dropFirst($0.utf8.count), as: UTF8.self) } ?? new
      guard columns[table, default: [:]].updateValue(name, forKey: old) == nil else {
        throw .nameTakenTwice("\(table).\(old)")
      }
    }
  }

  /// Adds renames of tables and columns that have none yet.
  package mutating func add(_ others: SchemaRenames) {
    tables.merge(others.tables) { own, _ in own }
    columns.merge(others.columns) { own, others in own.merging(others) { own, _ in own } }
  }

  /// Parses texts of the form `OLD=NEW`.
  package init(parsing texts: [String], of before: SchemaSnapshot) throws(Failure) {
    var pairs: [(old: String, new: String)] = []
    for text in texts {
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex, text.index(after: sign) < text.endIndex else {
        throw .malformed(text)
      }
      pairs.append((String(text[..<sign]), String(text[text.index(after: sign)...])))
    }
    try self.init(pairs, of: before)
  }
}
