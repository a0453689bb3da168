import Migrator

/// The transactions of another connection; a subclass overrides what it changes.
class ForwardingTransactions: TransactionControl {
  private let control: any TransactionControl

  init(control: any TransactionControl) { self.control = control }

  var isInsideTransaction: Bool { control.isInsideTransaction }
  func begin(_ kind: TransactionKind) throws(DatabaseError) { try control.begin(kind) }
  func commit() throws(DatabaseError) { try control.commit() }
  func rollback() throws(DatabaseError) { try control.rollback() }
  func dataVersion() throws(DatabaseError) -> Int64? { try control.dataVersion() }
  func beginSavepoint(_ name: String) throws(DatabaseError) { try control.beginSavepoint(name) }
  func releaseSavepoint(_ name: String) throws(DatabaseError) { try control.releaseSavepoint(name) }
  func rollbackSavepoint(_ name: String) throws(DatabaseError) { try control.rollbackSavepoint(name) }
  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try control.enforcesForeignKeys() }
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) { try control.setEnforcesForeignKeys(enforced) }
}

/// A connection that makes each call on another one; a subclass overrides what it changes.
class ForwardingConnection: ForwardingTransactions, DatabaseConnection {
  let base: any DatabaseConnection

  init(_ base: any DatabaseConnection) {
    self.base = base
    super.init(control: base)
  }

  var engine: EngineDescription { base.engine }
  var isReadOnly: Bool { base.isReadOnly }
  var lastInsertedRowID: Int64 { base.lastInsertedRowID }
  var changesCount: Int { base.changesCount }
  var totalChangesCount: Int { base.totalChangesCount }
  var interrupter: (any ConnectionInterrupter)? { base.interrupter }
  var changeRecorder: (any ChangeRecorder)? { base.changeRecorder }
  var runningReporter: (any RunningReporter)? { base.runningReporter }
  var storedBytesReader: (any StoredBytesReader)? { base.storedBytesReader }
  var stateKeeper: (any ConnectionStateKeeper)? { base.stateKeeper }
  var extender: (any ConnectionExtender)? { base.extender }
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    try base.prepare(script, utf8Offset: utf8Offset)
  }
  func userVersion() throws(DatabaseError) -> Int32 { try base.userVersion() }
  func setUserVersion(_ version: Int32) throws(DatabaseError) { try base.setUserVersion(version) }
  func applicationID() throws(DatabaseError) -> Int32 { try base.applicationID() }
  func setApplicationID(_ identifier: Int32) throws(DatabaseError) { try base.setApplicationID(identifier) }
  func close() throws(DatabaseError) { try base.close() }

  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot { try base.schema(named: name) }
  func schemaVersion() throws(DatabaseError) -> Int64 { try base.schemaVersion() }
  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    try base.columns(in: table, inSchema: schema)
  }
  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    try base.foreignKeys(on: table, inSchema: schema)
  }
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    try base.indexes(on: table, inSchema: schema)
  }
  func attachedFiles() throws(DatabaseError) -> [String] { try base.attachedFiles() }
  func counterTable() throws(DatabaseError) -> String? { try base.counterTable() }
  func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    try base.foreignKeyViolations(in: table)
  }
  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try base.statements(for: change)
  }
  func eraseEverything() throws(DatabaseError) { try base.eraseEverything() }
}
