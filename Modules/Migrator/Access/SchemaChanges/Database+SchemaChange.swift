extension Database {
  /// The error that says which rows a schema change fails by; nil when that cannot be told.
  ///
  /// Called while what the change has done so far is still there to be asked.
  func explanation(of error: any Error, _ diagnoses: [SchemaChangeDiagnosis]) -> DatabaseError? {
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
