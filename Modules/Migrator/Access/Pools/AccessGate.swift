internal import Dispatch
internal import Synchronization

/// Lets in readers, up to a number, or one barrier and nobody else.
///
/// Who comes first is let in first. Readers that come after a waiting barrier wait behind it, so that readers without
/// end cannot keep it out; and those that came before the next barrier are let in before that one.
final class AccessGate: Sendable {
  /// How someone wants to be let in.
  enum Side {
    /// Beside other readers.
    case reader
    /// Alone.
    case barrier
  }

  /// What someone who waits can be called back by.
  final class Ticket: Sendable {
    // Both are used under the gate's lock only; they are atomic for the compiler, which cannot know that.
    fileprivate let place = Atomic<UInt64>(0)
    fileprivate let isCancelled = Atomic(false)
  }

  fileprivate struct Waiter {
    let side: Side
    let decide: @Sendable (Bool) -> Void
  }

  fileprivate struct State {
    let capacity: Int
    var readerCount = 0
    var hasBarrier = false

    /// Who waits, by place; a dictionary, since those who are called back leave gaps.
    var waiters: [UInt64: Waiter] = [:]
    var firstPlace: UInt64 = 1
    var nextPlace: UInt64 = 1
  }

  private let state: Lock<State>

  /// Creates a gate.
  init(capacity: Int) { state = Lock(State(capacity: capacity)) }

  /// Asks to be let in, without waiting.
  ///
  /// - Parameter decide: Is called once, now or later, on this thread or on one of somebody who leaves, and must be quick.
  ///   It is told whether the gate is open: then ``leave(_:)`` is due. False means that the ticket was cancelled.
  func request(_ side: Side, _ ticket: Ticket? = nil, decide: @escaping @Sendable (Bool) -> Void) {
    let verdict: Bool? = state.withLock { state in
      if ticket?.isCancelled.load(ordering: .relaxed) == true { return false }
      if state.enter(side) { return true }
      ticket?.place.store(state.nextPlace, ordering: .relaxed)
      state.waiters[state.nextPlace] = Waiter(side: side, decide: decide)
      state.nextPlace += 1
      return nil
    }
    if let verdict { decide(verdict) }
  }

  /// Waits on this thread to be let in.
  ///
  /// - Throws: `CancellationError` when the ticket was cancelled before that; without a ticket nothing.
  func enter(_ side: Side, _ ticket: Ticket? = nil) throws(CancellationError) {
    let decision = Decision()
    request(side, ticket) { decision.make($0) }
    guard decision.wait() else { throw CancellationError() }
  }

  /// Leaves, and lets in who is next.
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

  /// Calls back who waits with a ticket, or will; does nothing to who has been let in.
  func cancel(_ ticket: Ticket) {
    let (cancelled, admitted) = state.withLock { state in
      ticket.isCancelled.store(true, ordering: .relaxed)
      let cancelled = state.waiters.removeValue(forKey: ticket.place.load(ordering: .relaxed))
      // Without a barrier that waited, the readers behind it may go.
      return (cancelled, state.admitWaiters())
    }
    cancelled?.decide(false)
    for waiter in admitted { waiter.decide(true) }
  }
}

extension AccessGate.State {
  /// Lets someone in who has just come.
  fileprivate mutating func enter(_ side: AccessGate.Side) -> Bool {
    guard waiters.isEmpty, isOpen(for: side) else { return false }
    count(side)
    return true
  }

  /// Lets in those who wait, up to the first who cannot be let in yet.
  fileprivate mutating func admitWaiters() -> [AccessGate.Waiter] {
    var admitted: [AccessGate.Waiter] = []
    while firstPlace < nextPlace {
      if let waiter = waiters[firstPlace] {
        guard isOpen(for: waiter.side) else { break }
        count(waiter.side)
        waiters[firstPlace] = nil
        admitted.append(waiter)
      }
      firstPlace += 1
    }
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
