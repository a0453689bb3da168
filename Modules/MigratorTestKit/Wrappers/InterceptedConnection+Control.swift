internal import Migrator

extension InterceptedConnection {
  var isInsideTransaction: Bool { base.isInsideTransaction }

  func begin(_ kind: TransactionKind) throws(DatabaseError) {
    try interceptor.admit(.begin(kind))
    try base.begin(kind)
  }

  func commit() throws(DatabaseError) {
    try interceptor.admit(.commit)
    try base.commit()
  }

  func rollback() throws(DatabaseError) {
    try interceptor.admit(.rollback)
    try base.rollback()
  }

  func dataVersion() throws(DatabaseError) -> Int64? {
    try interceptor.admit(.dataVersion)
    return try base.dataVersion()
  }

  func beginSavepoint(_ name: String) throws(DatabaseError) {
    try interceptor.admit(.beginSavepoint(name))
    try base.beginSavepoint(name)
  }

  func releaseSavepoint(_ name: String) throws(DatabaseError) {
    try interceptor.admit(.releaseSavepoint(name))
    try base.releaseSavepoint(name)
  }

  func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    try interceptor.admit(.rollbackSavepoint(name))
    try base.rollbackSavepoint(name)
  }

  func enforcesForeignKeys() throws(DatabaseError) -> Bool {
    try interceptor.admit(.enforcesForeignKeys)
    return try base.enforcesForeignKeys()
  }

  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    try interceptor.admit(.setEnforcesForeignKeys(enforced))
    try base.setEnforcesForeignKeys(enforced)
  }
}
