internal import Dispatch
internal import Synchronization

/// Lets in readers, up to a number, or one barrier and no one else.
///
/// First come, first served. Readers that come after a waiting barrier wait until it has left, so that readers without
/// end cannot keep it out; and those that came before the next barrier are let in before that one.
final class AccessGate: Sendable {
  /// A kind of access: beside other readers, or alone.
  enum Side {
    case reader
    case barrier
  }

  /// The means to cancel a request.
  final class Ticket: Sendable {
    // Used under the gate's lock only; it is atomic for the compiler, which cannot know that.
    fileprivate let isCancelled = Atomic(false)
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
    /// Requests in the order in which they came; the first one has to wait.
    var waiters: [Waiter] = []

    /// Lets in requests, up to the first that must wait longer.
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

  /// Asks to be let in, without waiting.
  ///
  /// - Parameter decide: Is called once, now or later, on this thread or on that of another access that ends, and must be
  ///   quick. It gets whether the gate is open: then ``leave(_:)`` is due. False means that the ticket was cancelled.
  func request(_ side: Side, _ ticket: Ticket? = nil, decide: @escaping @Sendable (Bool) -> Void) {
    let admitted: [Waiter]? = state.withLock { state in
      if ticket?.isCancelled.load(ordering: .relaxed) == true { return nil }
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

  /// Leaves, and lets in the next ones.
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

  /// Cancels a request that waits, or will; does nothing to one that was let in.
  func cancel(_ ticket: Ticket) {
    let (cancelled, admitted) = state.withLock { state in
      ticket.isCancelled.store(true, ordering: .relaxed)
      let cancelled = state.waiters.firstIndex { $0.ticket === ticket }.map { state.waiters.remove(at: $0) }
      // Without a barrier that waited, the readers behind it may go.
      return (cancelled, state.admitWaiters())
    }
    cancelled?.decide(false)
    for waiter in admitted { waiter.decide(true) }
  }
}
