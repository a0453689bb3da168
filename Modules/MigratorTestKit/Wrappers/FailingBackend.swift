public import Migrator

/// A backend whose n-th call on the border fails; the other calls are forwarded to another backend.
///
/// Only calls that can fail count. The failing call does nothing but fail, except `close()`, which closes and then fails.
/// Connections and scratch databases that come of it count together.
public struct FailingBackend: DatabaseBackend {
  /// How long the trouble lasts.
  public enum Extent: Sendable, Hashable {
    /// One call fails.
    case once
    /// That call and all later ones fail, as on a disk that went away.
    case fromThenOn
  }

  private let base: InterceptedBackend
  private let trouble: Trouble

  /// Wraps a backend.
  ///
  /// - Parameters:
  ///   - base: The backend that does the work.
  ///   - number: Which call fails, from 1.
  ///   - extent: Whether the calls after it fail, too.
  ///   - error: What it fails with.
  public init(_ base: any DatabaseBackend, failingCall number: Int, _ extent: Extent = .once, with error: DatabaseError)
  {
    trouble = Trouble(number: number, extent: extent, error: error)
    self.base = InterceptedBackend(base, interceptor: trouble)
  }

  /// The call that failed first; nil when there were not so many calls yet.
  public var failedCall: BorderCall? { trouble.state.withLock { $0.failedCall } }
  /// The number of calls that could fail, so far.
  public var callCount: Int { trouble.state.withLock { $0.callCount } }
  /// The label of the wrapped backend.
  public var label: String { base.label }
  /// Whether all connections open one and the same database, as the wrapped backend says.
  public var isShared: Bool { base.isShared }

  /// Opens a connection whose calls count.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try base.connect(options)
  }

  /// A scratch database whose calls count.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
}

private final class Trouble: CallInterceptor {
  struct State {
    var callCount = 0
    var failedCall: BorderCall?
  }

  private let number: Int
  private let extent: FailingBackend.Extent
  private let error: DatabaseError
  let state = Lock(State())

  init(number: Int, extent: FailingBackend.Extent, error: DatabaseError) {
    self.number = number
    self.extent = extent
    self.error = error
  }

  func note(_ call: BorderCall) {}

  func admit(_ call: BorderCall) throws(DatabaseError) {
    let fails = state.withLock { state in
      state.callCount += 1
      let fails = state.callCount == number || (extent == .fromThenOn && state.callCount > number)
      if fails, state.failedCall == nil { state.failedCall = call }
      return fails
    }
    if fails { throw error }
  }
}
