package import Migrator

/// An object that receives each call from the core to a backend before the call is made.
package protocol CallInterceptor: AnyObject, Sendable {
  /// Receives a call that cannot fail.
  func note(_ call: BorderCall)

  /// Receives a call that can fail, and may make it fail.
  func admit(_ call: BorderCall) throws(DatabaseError)
}

/// The base of an object that passes each call to an interceptor, and then to another object.
class Interception<Base> {
  let base: Base
  let interceptor: any CallInterceptor

  init(_ base: Base, interceptor: any CallInterceptor) { (self.base, self.interceptor) = (base, interceptor) }
}

/// A backend that passes each call to an interceptor, and then to another backend.
package struct InterceptedBackend: DatabaseBackend {
  private let base: any DatabaseBackend
  private let interceptor: any CallInterceptor

  /// Wraps a backend so that an interceptor receives the calls to it.
  package init(_ base: any DatabaseBackend, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

  /// The label of the wrapped backend.
  package var label: String { base.label }
  /// Whether all connections open the same database, as the wrapped backend reports.
  package var isShared: Bool { base.isShared }

  /// Opens a connection whose calls are intercepted.
  package func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try interceptor.admit(.connect(isReadOnly: options.isReadOnly))
    return InterceptedConnection(try base.connect(options), interceptor: interceptor)
  }

  /// Returns a scratch database whose calls are intercepted.
  package func scratch() throws(DatabaseError) -> any DatabaseBackend {
    try interceptor.admit(.scratch)
    return InterceptedBackend(try base.scratch(), interceptor: interceptor)
  }
}

/// A statement that passes each call to an interceptor, and then to another statement.
final class InterceptedStatement: Interception<any DatabaseStatement>, DatabaseStatement {
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

  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    try interceptor.admit(.step(sql: sql, isReadOnly: isReadOnly))
    return try base.step(into: row)
  }

  func reset() {
    interceptor.note(.reset(sql: sql))
    base.reset()
  }

  func value(at column: Int) -> ColumnValue { base.value(at: column) }
}
