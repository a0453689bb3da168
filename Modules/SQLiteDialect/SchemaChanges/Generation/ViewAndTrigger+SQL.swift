internal import Migrator

extension NewViewDescription {
  /// The statement that creates the view (https://www.sqlite.org/lang_createview.html).
  var createSQL: String {
    var words = ["CREATE"]
    if options.contains(.temporary) { words.append("TEMPORARY") }
    words.append("VIEW")
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    words.append(SQLSpelling.identifier(name, in: schema) + (columns.map(SQLSpelling.identifiers) ?? ""))
    words.append("AS \(SQLSpelling.trimmed(sql))")
    return words.joined(separator: " ")
  }
}

extension NewTriggerDescription {
  /// The statement that creates the trigger (https://www.sqlite.org/lang_createtrigger.html).
  ///
  /// - Parameter isTerminated: Whether the statements end with a semicolon.
  func createSQL(statements: String, isTerminated: Bool) -> String {
    var words = ["CREATE"]
    if options.contains(.temporary) { words.append("TEMPORARY") }
    words.append("TRIGGER")
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    words.append(SQLSpelling.identifier(name, in: schema))
    words.append("\(timing.rawValue) \(event.sql) ON \(SQLSpelling.identifier(table))")
    if let condition { words.append("WHEN \(SQLSpelling.closed(condition))") }
    words.append("BEGIN \(SQLSpelling.trimmed(statements))\(isTerminated ? "" : ";") END")
    return words.joined(separator: " ")
  }
}

extension NewTriggerDescription.Event {
  fileprivate var sql: String {
    switch self {
    case .insert: "INSERT"
    case .delete: "DELETE"
    case .update(let columns) where columns.isEmpty: "UPDATE"
    case .update(let columns): "UPDATE OF \(columns.map(SQLSpelling.identifier).joined(separator: ", "))"
    }
  }
}

extension NewVirtualTableDescription {
  /// The statement that creates the table (https://www.sqlite.org/lang_createvtab.html).
  var createSQL: String {
    var words = ["CREATE VIRTUAL TABLE"]
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    words.append("\(SQLSpelling.identifier(name, in: schema)) USING \(SQLSpelling.identifier(module))")
    if !arguments.isEmpty { words.append("(\(arguments.map(SQLSpelling.closed).joined(separator: ", ")))") }
    return words.joined(separator: " ")
  }
}
