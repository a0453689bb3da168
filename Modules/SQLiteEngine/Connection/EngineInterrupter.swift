internal import CSQLite
internal import Migrator
internal import Synchronization

/// Stops what a connection runs or waits for.
final class EngineInterrupter: ConnectionInterrupter {
  private let library: EngineLibrary

  /// The connection's address, zero once it is closed.
  ///
  /// The lock is held while the engine is told, which only sets a
  /// flag, so that the connection is not freed meanwhile (https://www.sqlite.org/c3ref/interrupt.html).
  private let address: Lock<UInt>

  /// How often the connection was interrupted.
  private let interruptions = Atomic<Int>(0)

  init(library: EngineLibrary, database: OpaquePointer) {
    self.library = library
    address = Lock(UInt(bitPattern: database))
  }

  /// A number that grows with each interruption.
  var count: Int { interruptions.load(ordering: .relaxed) }

  func interrupt() {
    interruptions.add(1, ordering: .relaxed)
    address.withLock { address in
      guard let database = OpaquePointer(bitPattern: address) else { return }
      library.functions.interrupt(database)
    }
  }

  /// Makes later interruptions harmless; called before the connection is closed.
  func disconnect() { address.withLock { $0 = 0 } }
}
