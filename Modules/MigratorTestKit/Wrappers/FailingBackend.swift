public import Migrator

/// A backend whose nth call fails; it forwards all other calls to another backend.
///
/// Calls that cannot fail are not counted. The failing call does nothing but fail, except `close()`, which closes and
/// then fails. Calls from all connections and scratch databases are counted together.
public struct FailingBackend: DatabaseBackend {
  /// The calls that fail.
  public enum Extent: Sendable, Hashable {
    /// Only the nth call fails.
    case once
    /// The nth call and all later calls fail, as with a disk that was removed.
    case fromThenOn
  }

  private let base: InterceptedBackend
  private let trouble: Trouble

  /// Wraps a backend so that calls to it fail.
  ///
  /// - Parameters:
  ///   - base: The backend that performs all other calls.
  ///   - number: The number of the failing call, from 1.
  ///   - extent: Whether all calls after the failing call fail as well.
  ///   - error: The error that failing calls throw.
  public init(_ base: any DatabaseBackend, failingCall number: Int, _ extent: Extent = .once, with error: DatabaseError)
  {
    trouble = Trouble(number: number, extent: extent, error: error)
    self.base = InterceptedBackend(base, interceptor: trouble)
  }

  /// The first call that failed; nil if there were too few calls.
  public var failedCall: BorderCall? { trouble.state.withLock { $0.failedCall } }
  /// The number of counted calls so far, including the failed ones.
  public var callCount: Int { trouble.state.withLock { $0.callCount } }
  /// The label of the wrapped backend.
  public var label: String { base.label }
  /// Whether all connections open the same database, as the wrapped backend reports.
  public var isShared: Bool { base.isShared }

  /// Opens a connection whose calls are counted.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try base.connect(options)
  }

  /// Returns a scratch database whose calls are counted.
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
