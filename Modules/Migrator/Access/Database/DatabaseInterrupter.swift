/// Stops what runs on a connection, and on the scratch databases that were opened for it and are not closed yet.
///
/// Whoever interrupts a rehearsal does not know on which of the two it is at that moment.
final class DatabaseInterrupter: ConnectionInterrupter {
  private struct Scratch {
    weak var queue: DatabaseQueue?
  }

  private let connection: (any ConnectionInterrupter)?
  private let scratches = Lock<[Scratch]>([])

  init(_ connection: (any ConnectionInterrupter)?) { self.connection = connection }

  /// Counts a scratch database among what is interrupted, as long as it is there.
  func add(_ scratch: DatabaseQueue) {
    scratches.withLock { scratches in
      scratches.removeAll { $0.queue == nil }
      scratches.append(Scratch(queue: scratch))
    }
  }

  func interrupt() {
    connection?.interrupt()
    // Outside of the lock: a scratch database may have scratch databases of its own.
    for queue in scratches.withLock({ $0.compactMap(\.queue) }) { queue.interrupt() }
  }
}
