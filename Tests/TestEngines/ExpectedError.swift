package import Migrator

extension MigrationError {
  /// The failure of a migration; nil for another error.
  package var failure: MigrationFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

/// Returns the error of a closure, which must be a `DatabaseError`.
package func databaseError(
  _ work: () throws -> Void, file: StaticString = #fileID, line: UInt = #line
) throws -> DatabaseError {
  do {
    try work()
  } catch let error as DatabaseError {
    return error
  }
  throw NoDatabaseError(place: "\(file):\(line)")
}

/// Nothing was thrown where a test expects a `DatabaseError`.
private struct NoDatabaseError: Error { let place: String }
