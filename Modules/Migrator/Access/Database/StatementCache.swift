/// Statements kept for their next use, the ones that were used longest ago given up first.
struct StatementCache {
  /// Enough for an application's hot statements; each costs a few kilobytes in the engine.
  private let capacity = 64
  private var statements: [String: (statement: Statement, use: UInt64)] = [:]
  private var clock: UInt64 = 0

  mutating func statement(for sql: String) -> Statement? {
    guard let found = statements[sql] else { return nil }
    clock += 1
    statements[sql] = (found.statement, clock)
    return found.statement
  }

  mutating func insert(_ statement: Statement, for sql: String) {
    if statements.count >= capacity, let oldest = statements.min(by: { $0.value.use < $1.value.use }) {
      statements[oldest.key] = nil
    }
    clock += 1
    statements[sql] = (statement, clock)
  }

  mutating func removeAll() { statements.removeAll() }
}
