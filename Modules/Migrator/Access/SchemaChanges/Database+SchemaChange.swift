extension Database {
  /// Makes a change of the schema, whole or not at all.
  ///
  /// - Throws: ``DatabaseError``, as unsupported when the engine cannot make it without a loss; then nothing ran.
  public func apply(_ change: SchemaChange) throws {
    let plan = try connection.statements(for: change)
    try inSavepoint {
      // The settings go back in any case; a failure to do so must not hide the reason of the first one.
      do {
        for sql in plan.statements { try executeTrusted(sql) }
      } catch {
        let explained = explanation(of: error, plan.diagnoses)
        for sql in plan.restoring { try? executeTrusted(sql) }
        throw explained ?? error
      }
      for sql in plan.restoring { try executeTrusted(sql) }
      context.didChangeSchema?(change, plan.method)
      return .commit
    }
  }

  /// Runs a statement of a backend, which may do what a migration's own statements may not.
  private func executeTrusted(_ sql: String) throws {
    let prepared = try prepare(sql, utf8Offset: 0)
    guard let statement = prepared.statement else { return }
    try context.checkCancellation()
    try inspect(sql, isTrusted: true)
    try context.trace?(statement, true)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// The error that names the rows by which a change fails, asked before the rollback; nil when no diagnosis finds them.
  private func explanation(of error: any Error, _ diagnoses: [SchemaChangeDiagnosis]) -> DatabaseError? {
    guard let error = error as? DatabaseError, error.isAboutRows else { return nil }
    // The engine tells of one constraint; the questions about that kind come first.
    let ordered =
      diagnoses.filter { error.condition == .constraint($0.constraint) }
      + diagnoses.filter { error.condition != .constraint($0.constraint) }
    for diagnosis in ordered {
      // A question that cannot be asked, since an expression says more than it can, must not hide the first error.
      guard let rows = try? rowNumbers(diagnosis.query, limit: 5), !rows.isEmpty,
        let count = try? rowNumbers("SELECT count(*) FROM (\(diagnosis.query))", limit: 1).first ?? nil
      else { continue }
      let numbers = rows.compactMap { $0.map(String.init) }.joined(separator: ", ")
      var place = numbers.isEmpty ? "" : ": rowid \(numbers)"
      if !numbers.isEmpty, count > rows.count { place += " and \(Int(count) - rows.count) more" }
      return context.error(
        .constraint(diagnosis.constraint),
        "\(diagnosis.defect), in \(Int(count).rowsText) of \"\(diagnosis.table)\"\(place)",
        remedy: "Change these rows first, or say what they become with `copying`.")
    }
    return nil
  }

  private func rowNumbers(_ sql: String, limit: Int) throws -> [Int64?] {
    guard let statement = try connection.prepare("\(sql) LIMIT \(limit)", utf8Offset: 0).statement else { return [] }
    defer { statement.reset() }
    var numbers: [Int64?] = []
    while try statement.step() {
      if case .integer(let number) = DatabaseValue(statement, column: 0) {
        numbers.append(number)
      } else {
        numbers.append(nil)
      }
    }
    return numbers
  }
}

extension DatabaseError {
  fileprivate var isAboutRows: Bool {
    switch condition {
    case .constraint, .typeMismatch: true
    default: false
    }
  }
}
