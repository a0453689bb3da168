internal import Dispatch

/// A gate that admits either a limited number of readers or a single barrier.
///
/// Requests are served in order. Readers that arrive while a barrier waits are admitted only after that barrier has
/// left, so a steady stream of readers cannot starve it. Barriers cannot starve readers either: readers that arrive
/// before the next barrier are admitted before it.
final class AccessGate: Sendable {
  /// A kind of access: alongside other readers, or alone.
  enum Side {
    case reader
    case barrier
  }

  /// A handle that cancels a request.
  final class Ticket: Sendable {
    // Used only under the gate's lock; locked because the compiler cannot know that.
    fileprivate let isCancelled = Lock(false)
  }

  private struct Waiter {
    let side: Side
    let ticket: Ticket?
    let decide: @Sendable (Bool) -> Void
  }

  private struct State {
    let capacity: Int
    var readerCount = 0
    var hasBarrier = false
    /// The waiting requests, in order of arrival.
    var waiters: [Waiter] = []

    /// Admits waiting requests in order, up to the first one that must keep waiting, and returns the admitted requests.
    mutating func admitWaiters() -> [Waiter] {
      var admitted: [Waiter] = []
      for waiter in waiters {
        switch waiter.side {
        case .reader where !hasBarrier && readerCount < capacity: readerCount += 1
        case .barrier where !hasBarrier && readerCount == 0: hasBarrier = true
        case .reader, .barrier:
          waiters.removeFirst(admitted.count)
          return admitted
        }
        admitted.append(waiter)
      }
      waiters = []
      return admitted
    }
  }

  private let state: Lock<State>

  init(capacity: Int) { state = Lock(State(capacity: capacity)) }

  /// Requests access, without waiting.
  ///
  /// - Parameter decide: Called once, now or later, on this thread or on the thread of another access that ends; it
  ///   must return quickly. True means that access is granted and that the caller must call ``leave(_:)``; false means
  ///   that the ticket was canceled.
  func request(_ side: Side, _ ticket: Ticket? = nil, decide: @escaping @Sendable (Bool) -> Void) {
    let admitted: [Waiter]? = state.withLock { state in
      if ticket?.isCancelled.withLock({ $0 }) == true { return nil }
      state.waiters.append(Waiter(side: side, ticket: ticket, decide: decide))
      return state.admitWaiters()
    }
    guard let admitted else { return decide(false) }
    for waiter in admitted { waiter.decide(true) }
  }

  func enter(_ side: Side, _ ticket: Ticket? = nil) throws(CancellationError) {
    let isDecided = DispatchSemaphore(value: 0)
    let isOpen = Lock(false)
    request(side, ticket) { decision in
      isOpen.withLock { $0 = decision }
      isDecided.signal()
    }
    isDecided.wait()
    guard isOpen.withLock({ $0 }) else { throw CancellationError() }
  }

  func leave(_ side: Side) {
    let admitted = state.withLock { state in
      switch side {
      case .reader: state.readerCount -= 1
      case .barrier: state.hasBarrier = false
      }
      return state.admitWaiters()
    }
    for waiter in admitted { waiter.decide(true) }
  }

  /// Cancels a request that is waiting or has yet to be made; has no effect on an admitted request.
  func cancel(_ ticket: Ticket) {
    let (cancelled, admitted) = state.withLock { state in
      ticket.isCancelled.withLock { $0 = true }
      let cancelled = state.waiters.firstIndex { $0.ticket === ticket }.map { state.waiters.remove(at: $0) }
      // With the canceled barrier gone, the readers after it may proceed.
      return (cancelled, state.admitWaiters())
    }
    cancelled?.decide(false)
    for waiter in admitted { waiter.decide(true) }
  }
}
