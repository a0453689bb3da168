internal import Migrator
internal import SQLSyntax

/// The statements that change one schema into another.
///
/// The statements run on every version of SQLite, in a migration with deferred foreign key checks. A table that an old
/// engine cannot change in place is recreated, and its rows are copied. If foreign keys were enforced, recreating a
/// table would delete the rows of other tables that refer to it
/// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
struct SuggestedMigration: Sendable, Hashable {
  struct Statement: Sendable, Hashable {
    /// The statement, without its semicolon.
    let sql: String
    /// Descriptions of the data that the statement deletes permanently.
    let losses: [String]
    /// Descriptions of the rows that may cause the statement to fail.
    let risks: [String]
  }

  private(set) var statements: [Statement] = []
  var losses: [String] { statements.flatMap(\.losses) }
  var risks: [String] { statements.flatMap(\.risks) }

  init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, renames: SchemaRenames = SchemaRenames()
  ) throws(SchemaRenames.Failure) {
    var path = try SchemaPath(SchemaSide(before), SchemaSide(after), renames)
    path.find()
    statements = path.statements
  }

  /// The statements as a script, with losses and risks in comments.
  var sql: String {
    statements.map { statement in
      let notes = statement.losses.map { "-- LOST: \($0)" } + statement.risks.map { "-- CHECK: \($0)" }
      // A name may contain a line break, which would end the comment.
      let comments = notes.map { $0.replacing("\n", with: " ") + "\n" }.joined()
      return comments + SQLFragment.closed(statement.sql) + ";\n"
    }.joined()
  }
}

/// The tables and columns that the user declares to be renamed.
///
/// If a rename is not declared, the data under the old name is lost, and the new object is empty.
struct SchemaRenames: Sendable, Hashable {
  /// The later name of each renamed table, by the earlier name.
  var tables: [String: String] = [:]
  /// The later names of renamed columns by their earlier names, for each table by its earlier name.
  var columns: [String: [String: String]] = [:]

  enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String)
    case noSuchTable(String)
    case noSuchColumn(String, table: String)
    /// Two tables or two columns would get the same name, or one of them would get two names.
    case nameTakenTwice(String)

    var description: String {
      switch self {
      case .malformed(let text):
        "--rename \"\(text)\" does not have the form OLD=NEW, as in team=guild or player.nick=name"
      case .noSuchTable(let name): "--rename refers to table \"\(name)\", which does not exist"
      case .noSuchColumn(let name, let table):
        "--rename refers to column \"\(name)\", which table \"\(table)\" does not have"
      case .nameTakenTwice(let name): "\"\(name)\" is renamed twice, or is the new name of two objects"
      }
    }
  }

}

extension SchemaRenames {
  /// Parses texts of the form `OLD=NEW`, where OLD is a table of the earlier schema, or one of its columns as
  /// `TABLE.COLUMN`; the new name of a column may also follow its table.
  init(parsing texts: [String], of before: SchemaSnapshot) throws(Failure) {
    self.init()
    var newColumns: [(table: String, old: String, new: String)] = []
    for text in texts {
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex, text.index(after: sign) < text.endIndex else {
        throw .malformed(text)
      }
      let (old, new) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
      // A table's name may itself contain a period.
      let stop = old.indices.first { old[$0] == "." && before.object(.table, named: String(old[..<$0])) != nil }
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
}
