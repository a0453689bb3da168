extension SQLParser {
  mutating func createTrigger() throws(SQLSyntaxError) -> SQLCreateTrigger {
    let name = try newName("a trigger's name")
    let timing = try self.timing()
    let event = try self.event()
    try expect(word: "on")
    var trigger = SQLCreateTrigger(name: name, event: event, table: try qualifiedName("a table's name"))
    trigger.timing = timing
    if take(word: "for") { try expect(words: "each", "row") }
    if take(word: "when") { trigger.condition = try expression() }
    try expect(word: "begin")
    isInTrigger = true
    defer { isInTrigger = false }
    repeat {
      trigger.body.append(try dataStatement())
      try expect(operator: ";")
    } while !isWord("end")
    index += 1
    return trigger
  }

  private mutating func timing() throws(SQLSyntaxError) -> SQLCreateTrigger.Timing? {
    if take(word: "before") { return .before }
    if take(word: "after") { return .after }
    guard take(word: "instead") else { return nil }
    try expect(word: "of")
    return .insteadOf
  }

  private mutating func event() throws(SQLSyntaxError) -> SQLCreateTrigger.Event {
    if take(word: "delete") { return .delete }
    if take(word: "insert") { return .insert }
    guard take(word: "update") else { throw expected("INSERT, UPDATE or DELETE") }
    guard take(word: "of") else { return .update(of: []) }
    return .update(of: try list { parser throws(SQLSyntaxError) in try parser.name("a column's name") })
  }
}
