internal import Migrator

/// A schema of a connection: the main one, the temporary one, or that of an attached database
/// (https://www.sqlite.org/lang_attach.html).
package struct SchemaName: Hashable {
  /// The schema of the file that was opened.
  package static let main = SchemaName(unchecked: "main")

  /// The schema of what is gone when the connection closes.
  package static let temporary = SchemaName(unchecked: "temp")

  /// The name as it was given.
  package let name: String

  /// What stands before a dot and a name; quoted unless it is one of the engine's own names.
  let prefix: String

  private let folded: String

  /// Takes a name that there may not be.
  init(unchecked name: String) {
    self.name = name
    folded = name.asciiLowercased
    prefix = ["main", "temp"].contains(folded) ? folded : SQLQuote.name(name)
  }

  /// Whether the name is that of the main schema.
  var isMain: Bool { folded == "main" }

  /// Whether the name is that of the temporary schema.
  var isTemporary: Bool { folded == "temp" }

  /// The table of the schema's definitions.
  ///
  /// Engines before 3.33 know the temporary one by this name alone (https://www.sqlite.org/schematab.html).
  var definitions: String { isTemporary ? "temp.sqlite_temp_master" : "\(prefix).sqlite_master" }

  /// A name of an object behind that of the schema.
  func qualified(_ name: String) -> String { "\(prefix).\(SQLQuote.name(name))" }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.folded == rhs.folded }

  package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension SQLiteConnection {
  /// The schema of a name; the main one for nil.
  ///
  /// - Throws: ``DatabaseError`` as notFound when no attached database bears the name.
  func schemaName(_ name: String?) throws(DatabaseError) -> SchemaName {
    guard let name else { return .main }
    let schema = SchemaName(unchecked: name)
    guard !schema.isMain, !schema.isTemporary, try !schemaNames().contains(schema) else { return schema }
    throw DatabaseError(
      .notFound, engine: engine.name, message: "no such schema: \(name)",
      remedy: "Attach the database under that name first, with every connection that is to use it.")
  }

  /// The schemas in the order in which the engine looks for a name that has no schema before it.
  func schemaNames() throws(DatabaseError) -> [SchemaName] {
    var names: [SchemaName] = [.temporary]
    // https://www.sqlite.org/pragma.html#pragma_database_list
    for case .text(let name) in try rows("PRAGMA database_list").map({ $0[1] }) {
      let schema = SchemaName(unchecked: name)
      if !schema.isTemporary { names.append(schema) }
    }
    return names
  }
}
