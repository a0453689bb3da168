internal import Migrator
internal import SQLSyntax

extension NewViewDescription {
  /// The statement that creates the view (https://www.sqlite.org/lang_createview.html).
  var createSQL: String {
    let name = name.quotedIdentifier(in: schema) + (columns.map(SQLSpelling.identifiers) ?? "")
    let create = SQLSpelling.create(
      "VIEW", name, isTemporary: options.contains(.temporary), ifNotExists: options.contains(.ifNotExists))
    return "\(create) AS \(SQLFragment.trimmed(sql))"
  }
}

extension NewTriggerDescription {
  /// Returns the statement that creates the trigger (https://www.sqlite.org/lang_createtrigger.html); `isTerminated` is
  /// whether its inner statements already end with a semicolon.
  fileprivate func createSQL(isTerminated: Bool) -> String {
    var words = [
      SQLSpelling.create(
        "TRIGGER", name.quotedIdentifier(in: schema), isTemporary: options.contains(.temporary),
        ifNotExists: options.contains(.ifNotExists))
    ]
    words.append("\(timing.rawValue) \(event.sql) ON \(table.quotedIdentifier)")
    if let condition { words.append("WHEN \(SQLFragment.closed(condition))") }
    words.append("BEGIN \(SQLFragment.trimmed(statements))\(isTerminated ? "" : ";") END")
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

extension SQLiteConnection {
  func statement(creating trigger: NewTriggerDescription) throws(DatabaseError) -> String {
    let body = SQLSource(trigger.statements)
    guard let last = body.tokens.last, body.isWellFormed else {
      throw refusal(
        "the trigger \"\(trigger.name)\" has no complete statement",
        remedy: "Give at least one SQL statement, with each quote and comment closed.", condition: .statement)
    }
    return trigger.createSQL(isTerminated: last.isOperator(";"))
  }
}
