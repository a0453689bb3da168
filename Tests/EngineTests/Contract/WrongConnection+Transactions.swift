import Migrator

extension WrongConnection {
  var isInsideTransaction: Bool { fault == .countsTransactions ? hasBegun : base.isInsideTransaction }

  func begin(_ kind: TransactionKind) throws(DatabaseError) {
    hasBegun = true
    if fault == .neverBegins || (fault == .beginsTwice && base.isInsideTransaction) { return }
    let kind: TransactionKind =
      switch (fault, kind) {
      case (.neverImmediate, .immediate), (.exclusiveIsDeferred, .exclusive): .deferred
      case (.deferredIsImmediate, .deferred): .immediate
      case (.immediateIsExclusive, .immediate): .exclusive
      default: kind
      }
    try forward { () throws(DatabaseError) in try base.begin(kind) }
  }

  func commit() throws(DatabaseError) {
    hasBegun = false
    if fault == .commitsTwice || fault == .neverBegins, !base.isInsideTransaction { return }
    if fault == .commitsNothing { return try base.rollback() }
    do throws(DatabaseError) {
      try forward { () throws(DatabaseError) in try base.commit() }
    } catch {
      if fault == .hidesCommitFailure { return }
      if fault == .busyCommitRollsBack { try base.rollback() }
      throw error
    }
  }

  func rollback() throws(DatabaseError) {
    hasBegun = false
    if fault == .rollbackNeedsTransaction, !base.isInsideTransaction {
      throw DatabaseError(.misuse, engine: "Wrong", message: "there is no transaction")
    }
    if fault == .rollbackCommits, base.isInsideTransaction { return try base.commit() }
    try base.rollback()
  }

  func dataVersion() throws(DatabaseError) -> Int64? { fault == .constantDataVersion ? 1 : try base.dataVersion() }

  func beginSavepoint(_ name: String) throws(DatabaseError) {
    if fault == .quotesNothing { return try run("SAVEPOINT \(name)") }
    if fault == .savepointNeedsTransaction, !base.isInsideTransaction {
      throw DatabaseError(.misuse, engine: "Wrong", message: "there is no transaction")
    }
    try base.beginSavepoint(name)
  }

  func releaseSavepoint(_ name: String) throws(DatabaseError) {
    if fault == .releaseRollsBack { return try base.rollbackSavepoint(name) }
    do throws(DatabaseError) {
      try base.releaseSavepoint(name)
    } catch {
      if fault != .unknownSavepoint { throw error }
    }
  }

  func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    if fault == .savepointKeepsChanges { return try base.releaseSavepoint(name) }
    do throws(DatabaseError) {
      try base.rollbackSavepoint(name)
      if fault == .keepsSavepoint { try base.beginSavepoint(name) }
    } catch {
      if fault != .unknownSavepoint { throw error }
    }
  }

  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try base.enforcesForeignKeys() }

  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    if fault == .neverEnforces || fault == .alwaysEnforces { return }
    if fault == .ignoresSwitchInTransaction, base.isInsideTransaction { return }
    try base.setEnforcesForeignKeys(enforced)
  }
}
