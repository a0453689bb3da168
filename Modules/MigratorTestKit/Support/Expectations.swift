internal import Migrator

/// Fails the check unless a claim is true; `seen` describes the observed behavior.
func expect(_ claim: Bool, _ seen: @autoclosure () -> String) throws {
  guard claim else { throw BackendCheckFailure(seen: seen()) }
}

/// Skips the check unless a claim is true.
func require(_ claim: Bool, orSkip reason: String) throws {
  guard claim else { throw BackendCheckSkipped(reason) }
}

/// Returns what a backend or its engine offers, or skips the check if the value is nil.
func require<Value>(_ value: Value?, orSkip reason: String) throws -> Value {
  guard let value else { throw BackendCheckSkipped(reason) }
  return value
}

/// Fails the check unless a value equals the expected one.
func expect<Value: Equatable>(_ what: String, _ seen: Value, is expected: Value) throws {
  guard seen == expected else {
    throw BackendCheckFailure(seen: "\(what) is \(short(seen)), expected \(short(expected))")
  }
}

/// Fails the check unless `body` throws a ``DatabaseError`` with one of these conditions, or with any condition if none
/// are given.
@discardableResult
func expectError(
  _ conditions: DatabaseError.Condition..., from what: String, _ body: () throws -> Void
) throws -> DatabaseError {
  try expectError(conditions, from: what, body)
}

func expectError(
  _ conditions: [DatabaseError.Condition], from what: String, _ body: () throws -> Void
) throws -> DatabaseError {
  do {
    try body()
  } catch let error as DatabaseError {
    guard conditions.isEmpty || conditions.contains(error.condition) else {
      throw BackendCheckFailure(seen: "\(what) failed as \(error.condition), expected \(conditions): \(error)")
    }
    return error
  } catch let skipped as BackendCheckSkipped {
    throw skipped
  } catch {
    throw BackendCheckFailure(seen: "\(what) failed with an error other than DatabaseError: \(error)")
  }
  throw BackendCheckFailure(seen: "\(what) did not fail")
}

private func short(_ value: Any) -> String {
  let text = "\(value)"
  return text.utf8.count <= 500 ? text : "\(text.prefix(500))... (\(text.utf8.count) bytes)"
}
