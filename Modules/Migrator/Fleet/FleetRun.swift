internal import Dispatch

/// Work on many databases, a bounded number at the same time.
///
/// A locked database does not delay the others: its work is repeated after all databases have had their turn, and only
/// then waits for the lock.
package struct FleetRun<Item: Sendable, Outcome: Sendable>: Sendable {
  /// The effect of an outcome on the run.
  package enum Verdict: Sendable {
    /// The work is done.
    case succeeded
    /// The work failed.
    case failed
    /// Another connection has locked the database.
    case locked
  }

  private struct State {
    var failureCount = 0
    var locked: [(item: Item, outcome: Outcome)] = []
  }

  private let concurrency: Int
  private let maximumFailures: Int?
  private let verdict: @Sendable (Outcome) -> Verdict
  private let work: @Sendable (_ item: Item, _ locked: Outcome?) async -> Outcome
  private let state = Lock(State())

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - concurrency: The number of items to work on at the same time.
  ///   - maximumFailures: The number of failures after which work on no further item is started; nil for no limit.
  ///   - verdict: A function that returns the effect of an outcome on the run.
  ///   - work: A function that does the work for one item, on a thread that may block. At the first attempt, its second
  ///     argument is nil, and it must not wait for locks. At a second attempt, the argument is the outcome of the
  ///     first, and it may wait.
  package init(
    concurrency: Int, maximumFailures: Int?, verdict: @escaping @Sendable (Outcome) -> Verdict,
    work: @escaping @Sendable (_ item: Item, _ locked: Outcome?) async -> Outcome
  ) {
    precondition(concurrency > 0, "A fleet needs a concurrency of at least one database.")
    precondition(maximumFailures ?? 1 > 0, "The maximum number of failures is at least one; nil means no limit.")
    (self.concurrency, self.maximumFailures) = (concurrency, maximumFailures)
    (self.verdict, self.work) = (verdict, work)
  }

  /// Works on all items, until the maximum number of failures is reached or the task is canceled.
  ///
  /// Returns only after all work that was started has ended.
  ///
  /// - Parameters:
  ///   - items: A function that passes each item to `add`, until `add` returns false.
  ///   - report: The function to call with each outcome, in the order in which they occur; it may wait.
  /// - Returns: Whether fewer items failed than the maximum.
  /// - Throws: Any error that `items` throws; `CancellationError` if the task was canceled.
  package func perform(
    _ items: @escaping @Sendable (_ add: @Sendable (Item) async -> Bool) async throws -> Void,
    report: @escaping @Sendable (Outcome) async -> Void
  ) async throws -> Bool {
    let channel = Channel<Item>(capacity: 4 * concurrency)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { channel.finish() }
        try await blocking { try await items { item in await channel.send(item) } }
      }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<concurrency { group.addTask { await blocking { await serve(channel, report) } } }
      }
      // Usually the items have ended, too.
      channel.finish()
      group.cancelAll()
      do {
        try await group.waitForAll()
      } catch is CancellationError where isStopped {}
    }
    try Task.checkCancellation()
    return !isStopped
  }

  /// Works on items until there are no more, then on those that were locked.
  private func serve(_ items: Channel<Item>, _ report: (Outcome) async -> Void) async {
    while goesOn, let item = await items.next(), goesOn {
      let outcome = await work(item, nil)
      guard verdict(outcome) == .locked else {
        await settle(outcome, report)
        continue
      }
      state.withLock { $0.locked.append((item, outcome)) }
    }
    while let (item, outcome) = state.withLock({ $0.locked.popLast() }) {
      await settle(goesOn ? await work(item, outcome) : outcome, report)
    }
    // The other workers may be waiting for items, of which there may never be another one.
    if isStopped { items.finish() }
  }

  private func settle(_ outcome: Outcome, _ report: (Outcome) async -> Void) async {
    if verdict(outcome) != .succeeded { state.withLock { $0.failureCount += 1 } }
    await report(outcome)
  }

  private var goesOn: Bool { !Task.isCancelled && !isStopped }

  private var isStopped: Bool {
    guard let maximumFailures else { return false }
    return state.withLock { $0.failureCount >= maximumFailures }
  }
}

/// Does work that blocks, on a thread of its own if the system can provide one to a task.
///
/// Before macOS 15 and iOS 18, the work blocks one of the few threads of Swift concurrency: no more databases than
/// processors are then worked on at the same time.
private func blocking(_ work: () async throws -> Void) async rethrows {
  guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try await work() }
  try await withTaskExecutorPreference(BlockingExecutor()) { try await work() }
}

/// A thread for work that blocks, separate from the few threads of Swift concurrency.
///
/// A serial queue gets a thread even while all processors are busy; a concurrent queue might not.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class BlockingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "database fleet")

  /// Creates a thread for one task at a time.
  package init() {}

  /// Runs a part of a task.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
