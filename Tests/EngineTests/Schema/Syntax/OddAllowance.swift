import Migrator
import SQLSyntax

/// The lines of a state that may differ after a change for which SQLite has no statement.
///
/// These are whole lines about named objects: the definition, columns and rows of the changed table, the rows of what reads
/// it, and after a renaming the definitions that contain the name as a token. All other lines must be equal.
struct OddAllowance {
  /// The beginnings of these lines.
  private var prefixes: Set<String> = []
  /// The ends of the beginnings of the lines about the table's indexes, which contain their names.
  private var indexMarks: [String] = []

  init(_ change: OddChange, of table: OddChange.Table, before: OddState, after: OddState) {
    let name = table.name.lowercased()
    let objects = before.objects + after.objects
    let changesKeys = [.addCheckedColumn, .dropFirst, .dropLast].contains(change) || change.renamed(table) != nil
    // An INTEGER PRIMARY KEY that gets another type gets an index, too.
    let changesIndexes = changesKeys || [.uniqueKey, .collation, .type].contains(change)
    for own in change == .renameTable ? [name, OddChange.newName] : [name] {
      let schema = table.isTemporary ? "temp" : "main"
      prefixes.formUnion([
        "\(schema) table \(own) of \(own): ", "column \(own).", "values \(own).", "row of \(schema) table \(own): ",
      ])
      if changesKeys { prefixes.insert("foreign key of \(own): ") }
      if changesIndexes {
        prefixes.insert("\(schema) index sqlite_autoindex_\(own) of \(own): ")
        indexMarks.append(" of \(own): [")
      }
      if change == .renameTable { prefixes.insert("sqlite_sequence: [") }
    }
    var readers: Set = [name]
    if change == .renameTable { readers.formUnion([OddChange.newName, "sqlite_master", "sqlite_schema"]) }
    // A view may read another one.
    for _ in 0..<3 {
      for object in objects where object.isView || object.isVirtual {
        if !object.identifiers.isDisjoint(with: readers) { readers.insert(object.name) }
      }
    }
    for object in objects where (object.isView || object.isVirtual) && readers.contains(object.name) {
      prefixes.insert("row of \(object.schema) \(object.type) \(object.name): ")
    }
    guard let old = change.renamed(table)?.lowercased() else { return }
    for object in objects where !object.identifiers.isDisjoint(with: [old, OddChange.newName]) || object.table == name {
      prefixes.insert("\(object.schema) \(object.type) \(object.name) of \(object.table): ")
      if object.type == "table" { prefixes.insert("foreign key of \(object.name): ") }
    }
  }

  /// Returns whether a line may differ.
  func covers(_ line: String) -> Bool {
    // Compared by bytes, since a name that begins with a combining character is one Character with the dot before it.
    prefixes.contains { line.utf8.starts(with: $0.utf8) }
      || line.hasPrefix("index ") && indexMarks.contains { line.contains($0) }
  }
}

extension OddChange {
  /// Returns the name that the change replaces; nil for other changes.
  func renamed(_ table: Table) -> String? {
    switch self {
    case .renameTable: table.name
    case .renameFirst: table.first
    case .renameLast: table.last
    default: nil
    }
  }
}

extension OddState {
  /// A table, index, view or trigger, in lower case.
  struct Object {
    let schema: String
    let type: String
    let name: String
    /// The table that it belongs to.
    let table: String
    /// The names in its definition.
    let identifiers: Set<String>
    let isVirtual: Bool
    var isView: Bool { type == "view" }

    init(schema: String, _ row: Row) throws {
      self.schema = schema
      (type, name, table) = try (row[0], (row[1] as String).lowercased(), (row[2] as String).lowercased())
      let sql: String = try row[3] as String? ?? ""
      isVirtual = sql.uppercased().contains("VIRTUAL")
      let tokenizer = SQLTokenizer(sql)
      // The arguments of a module are text, such as content="t1".
      identifiers = Set(
        tokenizer.flatMap { token -> [String] in
          let text = tokenizer.text(of: token)
          return [SQLIdentifier.unquoted(text).lowercased()]
        })
    }
  }
}
