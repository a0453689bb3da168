internal import SQLSyntax

/// Methods that create objects use the main schema unless `inSchema` names an attached database.
///
/// If `inSchema` is nil, methods that remove an object use the first schema that contains an object with the given
/// name.
extension Database {
  /// Creates a view.
  ///
  ///     try db.create(view: "hero", as: "SELECT * FROM player WHERE isHero")
  ///
  /// - Parameter columns: The names of the view's columns; nil to use the column names of the query.
  public func create(
    view name: String, inSchema schema: String? = nil, options: ViewOptions = [], columns: [String]? = nil,
    as sql: String
  ) throws {
    precondition(columns?.isEmpty != true, "A view needs at least one column.")
    precondition(schema == nil || !options.contains(.temporary), "A temporary view cannot have another schema.")
    try apply(.createView(NewViewDescription(name: name, schema: schema, options: options, columns: columns, sql: sql)))
  }

  /// Creates a view from SQL with interpolated values, which become part of the view's definition.
  ///
  ///     try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE level > \(limit)")
  public func create(
    view name: String, inSchema schema: String? = nil, options: ViewOptions = [], columns: [String]? = nil,
    asLiteral literal: SQL
  ) throws {
    // A view cannot have parameters (https://www.sqlite.org/lang_createview.html).
    try create(view: name, inSchema: schema, options: options, columns: columns, as: literal.sqlWithLiterals)
  }

  /// Removes a view.
  public func drop(view name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropView(name: name, ifExists: ifExists, schema: schema))
  }
}

extension SQL {
  /// The text with SQL literals in place of the parameters that have a positional value.
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

extension Database {
  /// Creates a trigger.
  ///
  ///     try db.create(
  ///       trigger: "player_log", .after, .update(of: ["score"]), on: "player", when: "NEW.score > OLD.score",
  ///       statements: "INSERT INTO log (playerId, score) VALUES (NEW.id, NEW.score)")
  ///
  /// - Parameters:
  ///   - timing: The time at which the trigger runs; views support only ``NewTriggerDescription/Timing/insteadOf``.
  ///   - statements: One or more SQL statements, separated by semicolons.
  public func create(
    trigger name: String, inSchema schema: String? = nil, options: TriggerOptions = [],
    _ timing: NewTriggerDescription.Timing, _ event: NewTriggerDescription.Event, on table: String,
    when condition: String? = nil, statements: String
  ) throws {
    precondition(schema == nil || !options.contains(.temporary), "A temporary trigger cannot have another schema.")
    try apply(
      .createTrigger(
        NewTriggerDescription(
          name: name, schema: schema, options: options, timing: timing, event: event, table: table,
          condition: condition, statements: statements)))
  }

  /// Removes a trigger.
  public func drop(trigger name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropTrigger(name: name, ifExists: ifExists, schema: schema))
  }
}
