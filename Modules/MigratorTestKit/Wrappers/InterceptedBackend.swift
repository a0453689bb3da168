package import Migrator

/// Sees the calls on the border before they are made.
package protocol CallInterceptor: AnyObject, Sendable {
  /// Sees a call that cannot fail.
  func note(_ call: BorderCall)

  /// Sees a call that can fail, and may make it fail.
  func admit(_ call: BorderCall) throws(DatabaseError)
}

/// Forwards to another backend and shows each call to an interceptor.
package struct InterceptedBackend: DatabaseBackend {
  private let base: any DatabaseBackend
  private let interceptor: any CallInterceptor

  /// Wraps a backend.
  package init(_ base: any DatabaseBackend, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

  /// The label of the wrapped backend.
  package var label: String { base.label }

  /// Whether all connections open one and the same database, as the wrapped backend says.
  package var isShared: Bool { base.isShared }

  /// Opens a connection whose calls are shown.
  package func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try interceptor.admit(.connect(isReadOnly: options.isReadOnly))
    return InterceptedConnection(try base.connect(options), interceptor: interceptor)
  }

  /// A scratch database whose calls are shown.
  package func scratch() throws(DatabaseError) -> any DatabaseBackend {
    try interceptor.admit(.scratch)
    return InterceptedBackend(try base.scratch(), interceptor: interceptor)
  }
}
