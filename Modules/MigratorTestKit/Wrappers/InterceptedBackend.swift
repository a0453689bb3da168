internal import Migrator

/// Sees the calls on the border before they are made.
protocol CallInterceptor: AnyObject, Sendable {
  /// Sees a call that cannot fail.
  func note(_ call: BorderCall)

  /// Sees a call that can fail, and may make it fail.
  func admit(_ call: BorderCall) throws(DatabaseError)
}

/// Forwards to another backend and shows each call to an interceptor.
struct InterceptedBackend: DatabaseBackend {
  private let base: any DatabaseBackend
  private let interceptor: any CallInterceptor

  init(_ base: any DatabaseBackend, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

  var label: String { base.label }

  var isShared: Bool { base.isShared }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try interceptor.admit(.connect(isReadOnly: options.isReadOnly))
    return InterceptedConnection(try base.connect(options), interceptor: interceptor)
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend {
    try interceptor.admit(.scratch)
    return InterceptedBackend(try base.scratch(), interceptor: interceptor)
  }
}
