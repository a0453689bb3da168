internal import Migrator

/// Forwards to another statement and shows each call to an interceptor.
final class InterceptedStatement: DatabaseStatement {
  private let base: any DatabaseStatement
  private let interceptor: any CallInterceptor

  init(_ base: any DatabaseStatement, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

  var sql: String { base.sql }
  var isReadOnly: Bool { base.isReadOnly }
  var columnNames: [String] { base.columnNames }
  var columnCount: Int { base.columnCount }
  var parameterCount: Int { base.parameterCount }

  func parameterName(at index: Int) -> String? { base.parameterName(at: index) }

  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    try interceptor.admit(.bind(sql: sql, index: index, kind: value.kind))
    try base.bind(value, at: index)
  }

  func clearBindings() {
    interceptor.note(.clearBindings(sql: sql))
    base.clearBindings()
  }

  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    try interceptor.admit(.step(sql: sql, isReadOnly: isReadOnly))
    return try base.step(into: row)
  }

  func readRow(into row: UnsafeMutableBufferPointer<ColumnValue>) { base.readRow(into: row) }

  func reset() {
    interceptor.note(.reset(sql: sql))
    base.reset()
  }

  func valueKind(at column: Int) -> DatabaseValue.Kind { base.valueKind(at: column) }
  func integer(at column: Int) -> Int64 { base.integer(at: column) }
  func real(at column: Int) -> Double { base.real(at: column) }
  func text(at column: Int) -> String { base.text(at: column) }

  func withBytes<Result>(at column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    base.withBytes(at: column, body)
  }
}
