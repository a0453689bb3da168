extension Database {
  /// Creates a view.
  ///
  ///     try db.create(view: "hero", as: "SELECT * FROM player WHERE isHero")
  ///
  /// - Parameters:
  ///   - name: The view's name.
  ///   - schema: The schema of an attached database that the view goes to; nil for the main schema.
  ///   - options: How the view is created.
  ///   - columns: The columns' names; nil for those of the query.
  ///   - sql: The query.
  public func create(
    view name: String, inSchema schema: String? = nil, options: ViewOptions = [], columns: [String]? = nil,
    as sql: String
  ) throws {
    precondition(!name.isEmpty, "A view needs a name.")
    precondition(columns?.isEmpty != true, "A view needs at least one column.")
    precondition(schema == nil || !options.contains(.temporary), "A temporary view is in no other schema.")
    try apply(
      .createView(NewViewDescription(name: name, schema: schema, options: options, columns: columns, sql: sql)))
  }

  /// Creates a view from SQL with values in it, which become part of the view's definition.
  ///
  ///     try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE level > \(limit)")
  public func create(
    view name: String, inSchema schema: String? = nil, options: ViewOptions = [], columns: [String]? = nil,
    asLiteral literal: SQL
  ) throws {
    // A view has no parameters (https://www.sqlite.org/lang_createview.html).
    try create(view: name, inSchema: schema, options: options, columns: columns, as: literal.sqlWithLiterals)
  }

  /// Removes a view.
  ///
  /// - Parameters:
  ///   - schema: The schema of an attached database that holds the view; nil for the first that has one of the name.
  ///   - ifExists: Whether a view that does not exist is no error.
  public func drop(view name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropView(name: name, ifExists: ifExists, schema: schema))
  }
}

extension SQL {
  /// The text with a literal in place of each parameter that has a value by its position.
  var sqlWithLiterals: String {
    var values = arguments.positional[...]
    let tokenizer = SQLTokenizer(sql)
    var text = ""
    for token in tokenizer {
      let part = tokenizer.text(of: token)
      guard token.kind == .variable, part == "?", let value = values.popFirst() else {
        text += part
        continue
      }
      text += value.sqlLiteral
    }
    return text
  }
}
