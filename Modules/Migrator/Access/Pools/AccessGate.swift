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

  fileprivate struct Waiter {
    let side: Side
    let ticket: Ticket?
    let decide: @Sendable (Bool) -> Void
  }

  fileprivate struct State {
    let capacity: Int
    var readerCount = 0
    var hasBarrier = false
    /// Waiting requests, in the order in which they came.
    var waiters: [Waiter] = []
  }

  private let state: Lock<State>

  init(capacity: Int) { state = Lock(State(capacity: capacity)) }

  /// Asks to be let in, without waiting.
  ///
  /// - Parameter decide: Is called once, now or later, on this thread or on that of another access that ends, and must be
  ///   quick. It gets whether the gate is open: then ``leave(_:)`` is due. False means that the ticket was cancelled.
  func request(_ side: Side, _ ticket: Ticket? = nil, decide: @escaping @Sendable (Bool) -> Void) {
    let verdict: Bool? = state.withLock { state in
      if ticket?.isCancelled.load(ordering: .relaxed) == true { return false }
      if state.enter(side) { return true }
      state.waiters.append(Waiter(side: side, ticket: ticket, decide: decide))
      return nil
    }
    if let verdict { decide(verdict) }
  }

  /// Waits on this thread to be let in.
  func enter(_ side: Side, _ ticket: Ticket? = nil) throws(CancellationError) {
    let decision = Decision()
    request(side, ticket) { decision.make($0) }
    guard decision.wait() else { throw CancellationError() }
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

extension AccessGate.State {
  /// Lets in a request that has just come, if it need not wait.
  fileprivate mutating func enter(_ side: AccessGate.Side) -> Bool {
    guard waiters.isEmpty, isOpen(for: side) else { return false }
    count(side)
    return true
  }

  /// Lets in waiting requests, up to the first that must wait longer.
  fileprivate mutating func admitWaiters() -> [AccessGate.Waiter] {
    var admitted: [AccessGate.Waiter] = []
    for waiter in waiters {
      guard isOpen(for: waiter.side) else { break }
      count(waiter.side)
      admitted.append(waiter)
    }
    waiters.removeFirst(admitted.count)
    return admitted
  }

  private func isOpen(for side: AccessGate.Side) -> Bool {
    switch side {
    case .reader: !hasBarrier && readerCount < capacity
    case .barrier: !hasBarrier && readerCount == 0
    }
  }

  private mutating func count(_ side: AccessGate.Side) {
    switch side {
    case .reader: readerCount += 1
    case .barrier: hasBarrier = true
    }
  }
}

/// A decision that a thread waits for.
private final class Decision: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isAdmitted = Atomic(false)

  func make(_ isAdmitted: Bool) {
    self.isAdmitted.store(isAdmitted, ordering: .releasing)
    semaphore.signal()
  }

  func wait() -> Bool {
    semaphore.wait()
    return isAdmitted.load(ordering: .acquiring)
  }
}
