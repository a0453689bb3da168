/// The entries of an open transaction that the ledger does not hold yet.
///
/// Writing one right after its migration would have the engine compile the statement again for each, since its schema is
/// another one. They wait for the commit instead, or for a statement that may look into the ledger.
final class UnwrittenEntries {
  private let ledger: Ledger
  private var changes: [Ledger.Change] = []

  /// How many of them the ledger holds already, from the first one on; less again when a savepoint is rolled back.
  var writtenCount = 0

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Whether the ledger holds all of them.
  var isEmpty: Bool { writtenCount == changes.count }

  func append(_ change: Ledger.Change) { changes.append(change) }

  /// Writes what the ledger does not hold yet.
  ///
  /// - Throws: ``DatabaseError``; none of it counts as written then.
  func write(_ db: Database) throws {
    guard !isEmpty else { return }
    let before = writtenCount
    // The statements that write are none to write anything before.
    writtenCount = changes.count
    do {
      try ledger.make(changes[before...], db)
    } catch {
      writtenCount = before
      throw error
    }
  }

  /// A place to go back to.
  struct Mark {
    fileprivate let count: Int
    fileprivate let writtenCount: Int
  }

  /// Where a savepoint begins.
  var mark: Mark { Mark(count: changes.count, writtenCount: writtenCount) }

  /// Follows the rollback of a savepoint: what was written in it is not written any more.
  func rollBack(to mark: Mark) {
    changes.removeSubrange(mark.count...)
    writtenCount = mark.writtenCount
  }

  /// Forgets all entries, with the end of the transaction.
  func removeAll() {
    changes.removeAll()
    writtenCount = 0
  }
}
