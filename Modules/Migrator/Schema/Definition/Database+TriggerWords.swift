extension Database {
  /// Creates a trigger.
  ///
  ///     try db.create(
  ///       trigger: "player_log", .after, .update(of: ["score"]), on: "player", when: "NEW.score > OLD.score",
  ///       statements: "INSERT INTO log (playerId, score) VALUES (NEW.id, NEW.score)")
  ///
  /// - Parameters:
  ///   - name: The trigger's name.
  ///   - schema: The schema of an attached database that holds trigger and table; nil for the main schema.
  ///   - options: How the trigger is created.
  ///   - timing: When it runs; views have ``NewTriggerDescription/Timing/insteadOf`` only.
  ///   - event: What it waits for.
  ///   - table: The table or view.
  ///   - condition: An SQL expression that chooses the rows; nil for all.
  ///   - statements: One or more SQL statements, separated by semicolons.
  public func create(
    trigger name: String, inSchema schema: String? = nil, options: TriggerOptions = [],
    _ timing: NewTriggerDescription.Timing, _ event: NewTriggerDescription.Event, on table: String,
    when condition: String? = nil, statements: String
  ) throws {
    precondition(!name.isEmpty, "A trigger needs a name.")
    precondition(schema == nil || !options.contains(.temporary), "A temporary trigger is in no other schema.")
    try apply(
      .createTrigger(
        NewTriggerDescription(
          name: name, schema: schema, options: options, timing: timing, event: event, table: table,
          condition: condition, statements: statements)))
  }

  /// Removes a trigger.
  ///
  /// - Parameters:
  ///   - schema: The schema of an attached database that holds the trigger; nil for the first that has one of the name.
  ///   - ifExists: Whether a trigger that does not exist is no error.
  public func drop(trigger name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropTrigger(name: name, ifExists: ifExists, schema: schema))
  }
}
