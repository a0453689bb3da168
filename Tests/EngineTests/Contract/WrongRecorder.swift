import Migrator

/// A recorder that is correct except for one fault.
final class WrongRecorder: ChangeRecorder {
  private let base: any ChangeRecorder
  private unowned let connection: WrongConnection
  private var kept: Set<String> = []
  private var fault: Fault? { connection.fault }

  init(_ base: any ChangeRecorder, connection: WrongConnection) {
    self.base = base
    self.connection = connection
  }

  func start(isContinued: Bool) {
    kept.formUnion(base.changes.tables)
    base.start(isContinued: isContinued)
    // The fault is the deletion itself, so it does not matter whether it succeeds.
    if fault == .recordsByDeleting { try? connection.run("DELETE FROM book") }
  }

  func stop() { base.stop() }

  func addedObjects() throws(DatabaseError) -> [SchemaObject]? { fault == .addsNothing ? [] : try base.addedObjects() }

  var changes: RecordedChanges {
    var changes = base.changes
    switch fault {
    case .recordsNothing: changes = RecordedChanges()
    case .recordsDirectOnly: changes.tables = changes.tables.intersection(["author"])
    case .neverForgets: changes.tables.formUnion(kept)
    case .recordsEverything: changes.tables.insert("book")
    default: break
    }
    return changes
  }
}

/// An interrupter that interrupts nothing, but records the request.
final class InterruptionFlag: ConnectionInterrupter {
  private let isSet = Lock(false)

  func interrupt() { isSet.withLock { $0 = true } }

  /// Returns whether it was called since the last call of this method.
  func take() -> Bool {
    isSet.withLock { isSet in
      defer { isSet = false }
      return isSet
    }
  }
}

/// A reader that is correct except for one fault.
final class WrongReader: StoredBytesReader {
  private let base: any StoredBytesReader
  private let fault: Fault?

  init(_ base: any StoredBytesReader, fault: Fault?) { (self.base, self.fault) = (base, fault) }

  var path: String? { base.path }

  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try base.read { bytes in
      let count = fault == .copiesHalf ? bytes.count / 2 : bytes.count
      try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    }
  }

  func replacing(_ body: () throws -> Void) throws {
    if fault == .letsOthersIn { try body() } else { try base.replacing(body) }
  }

  func damage() throws(DatabaseError) -> String? { fault == .findsNoDamage ? nil : try base.damage() }
}

/// A reporter that reports nothing.
final class SilentReporter: RunningReporter {
  func start(_ report: @escaping () -> Void) {}
  func stop() {}
}

/// A keeper that restores nothing.
final class LazyKeeper: ConnectionStateKeeper {
  private let base: any ConnectionStateKeeper
  init(_ base: any ConnectionStateKeeper) { self.base = base }

  func state() throws(DatabaseError) -> ConnectionState { try base.state() }
  func restore(_ state: ConnectionState) {}
}

/// An extender that adds nothing.
final class LazyExtender: ConnectionExtender {
  func add(_ collation: DatabaseCollation) {}
  func add(_ function: DatabaseFunction) {}
}
