/// How a transaction or savepoint ends.
public enum TransactionCompletion: Sendable, Hashable {
  /// Its changes are kept.
  case commit
  /// Its changes are undone.
  case rollback
}

extension Database {
  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { connection.isInsideTransaction }

  /// Runs `body` in a transaction.
  ///
  /// - Parameters:
  ///   - kind: Which lock the transaction takes when it begins; immediate unless given, so that it cannot fail later
  ///     because another connection wrote in the meantime.
  ///   - body: Says how the transaction ends. When it throws, the transaction is rolled back.
  /// - Throws: ``DatabaseError``, as misuse when a transaction is open already; what `body` throws.
  public func inTransaction(_ kind: TransactionKind = .immediate, _ body: () throws -> TransactionCompletion) throws {
    guard !isInsideTransaction else {
      throw context.error(
        .misuse, "a transaction is open already", remedy: "Use inSavepoint, which can be nested.")
    }
    try connection.begin(kind)
    do {
      switch try body() {
      case .commit: try connection.commit()
      case .rollback: try connection.rollback()
      }
    } catch {
      // The first error is the one that matters, and an engine may have rolled back by itself.
      try? connection.rollback()
      throw error
    }
  }

  /// Runs `body` in a savepoint, which can be nested; outside a transaction it opens one.
  ///
  /// - Parameter body: Says how the savepoint ends. When it throws, the savepoint is rolled back.
  /// - Throws: ``DatabaseError``; what `body` throws.
  public func inSavepoint(_ body: () throws -> TransactionCompletion) throws {
    let name = "migrator_savepoint"
    try connection.beginSavepoint(name)
    let (inspector, mark) = (inspector, inspector?.mark())
    func rollBack() throws {
      if let mark { inspector?.didRollBack(to: mark) }
      try connection.rollbackSavepoint(name)
    }
    do {
      switch try body() {
      case .commit: try connection.releaseSavepoint(name)
      case .rollback: try rollBack()
      }
    } catch {
      // The engine may have rolled back the whole transaction by itself; then there is no savepoint any more.
      if isInsideTransaction { try? rollBack() }
      throw error
    }
  }
}
