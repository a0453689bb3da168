internal import SQLSyntax

extension NewViewDescription {
  /// The statement that creates the view (https://www.sqlite.org/lang_createview.html).
  package var createSQL: String {
    let name = name.quotedIdentifier(in: schema) + (columns.map(SQLSpelling.identifiers) ?? "")
    let create = SQLSpelling.create(
      "VIEW", name, isTemporary: options.contains(.temporary), ifNotExists: options.contains(.ifNotExists))
    return "\(create) AS \(SQLFragment.trimmed(sql))"
  }
}

extension NewTriggerDescription {
  /// The statement that creates the trigger (https://www.sqlite.org/lang_createtrigger.html); nil if its inner statements
  /// are not complete.
  package var createSQL: String? {
    let body = SQLSource(statements)
    guard let last = body.tokens.last, body.isWellFormed else { return nil }
    var words = [
      SQLSpelling.create(
        "TRIGGER", name.quotedIdentifier(in: schema), isTemporary: options.contains(.temporary),
        ifNotExists: options.contains(.ifNotExists))
    ]
    words.append("\(timing.rawValue) \(event.sql) ON \(table.quotedIdentifier)")
    if let condition { words.append("WHEN \(SQLFragment.closed(condition))") }
    words.append("BEGIN \(SQLFragment.trimmed(statements))\(last.isOperator(";") ? "" : ";") END")
    return words.joined(separator: " ")
  }
}

extension NewTriggerDescription.Event {
  fileprivate var sql: String {
    switch self {
    case .insert: "INSERT"
    case .delete: "DELETE"
    case .update(let columns) where columns.isEmpty: "UPDATE"
    case .update(let columns): "UPDATE OF \(columns.map(\.quotedIdentifier).joined(separator: ", "))"
    }
  }
}

extension NewVirtualTableDescription {
  /// The statement that creates the table (https://www.sqlite.org/lang_createvtab.html).
  package var createSQL: String {
    var words = [
      SQLSpelling.create(
        "VIRTUAL TABLE", name.quotedIdentifier(in: schema), ifNotExists: options.contains(.ifNotExists)),
      "USING \(module.quotedIdentifier)",
    ]
    if !arguments.isEmpty { words.append("(\(arguments.map(SQLFragment.closed).joined(separator: ", ")))") }
    return words.joined(separator: " ")
  }
}
