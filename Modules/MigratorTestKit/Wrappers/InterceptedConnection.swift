internal import Migrator

/// A connection that passes each call to an interceptor, and then to another connection.
final class InterceptedConnection: Interception<any DatabaseConnection>, DatabaseConnection {
  // The recorder is retained: an engine may return a new one for each call, and a recorder that is released stops.
  private(set) lazy var changeRecorder: (any ChangeRecorder)? = base.changeRecorder.map {
    InterceptedRecorder($0, interceptor: interceptor)
  }

  /// Passes a call that can fail to the interceptor; returns the connection on which to make the call.
  private func after(_ call: BorderCall) throws(DatabaseError) -> any DatabaseConnection {
    try interceptor.admit(call)
    return base
  }

  var engine: EngineDescription { base.engine }
  var isReadOnly: Bool { base.isReadOnly }
  var lastInsertedRowID: Int64 { base.lastInsertedRowID }
  var changesCount: Int { base.changesCount }
  var totalChangesCount: Int { base.totalChangesCount }

  var runningReporter: (any RunningReporter)? { base.runningReporter }
  var storedBytesReader: (any StoredBytesReader)? { base.storedBytesReader }
  var extender: (any ConnectionExtender)? { base.extender }

  var stateKeeper: (any ConnectionStateKeeper)? {
    base.stateKeeper.map { InterceptedStateKeeper($0, interceptor: interceptor) }
  }

  var interrupter: (any ConnectionInterrupter)? {
    base.interrupter.map { InterceptedInterrupter(base: $0, interceptor: interceptor) }
  }

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    let preparation = try after(.prepare(script: script, utf8Offset: utf8Offset)).prepare(
      script, utf8Offset: utf8Offset)
    guard let statement = preparation.statement else { return preparation }
    return Preparation(
      statement: InterceptedStatement(statement, interceptor: interceptor), endOffset: preparation.endOffset)
  }

  func userVersion() throws(DatabaseError) -> Int32 { try after(.userVersion).userVersion() }
  func setUserVersion(_ version: Int32) throws(DatabaseError) {
    try after(.setUserVersion(version)).setUserVersion(version)
  }
  func applicationID() throws(DatabaseError) -> Int32 { try after(.applicationID).applicationID() }
  func setApplicationID(_ identifier: Int32) throws(DatabaseError) {
    try after(.setApplicationID(identifier)).setApplicationID(identifier)
  }

  func close() throws(DatabaseError) {
    // The connection is closed even if the call is made to fail, since an open file would disturb later checks.
    let result = Result { () throws(DatabaseError) in try base.close() }
    try interceptor.admit(.close)
    try result.get()
  }
}

extension InterceptedConnection {
  var isInsideTransaction: Bool { base.isInsideTransaction }

  func begin(_ kind: TransactionKind) throws(DatabaseError) { try after(.begin(kind)).begin(kind) }
  func commit() throws(DatabaseError) { try after(.commit).commit() }
  func rollback() throws(DatabaseError) { try after(.rollback).rollback() }
  func dataVersion() throws(DatabaseError) -> Int64? { try after(.dataVersion).dataVersion() }
  func beginSavepoint(_ name: String) throws(DatabaseError) { try after(.beginSavepoint(name)).beginSavepoint(name) }
  func releaseSavepoint(_ name: String) throws(DatabaseError) {
    try after(.releaseSavepoint(name)).releaseSavepoint(name)
  }
  func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    try after(.rollbackSavepoint(name)).rollbackSavepoint(name)
  }
  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try after(.enforcesForeignKeys).enforcesForeignKeys() }
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    // A statement that sets it may take effect and then fail.
    try base.setEnforcesForeignKeys(enforced)
    try interceptor.admit(.setEnforcesForeignKeys(enforced))
  }

  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot { try after(.schema).schema(named: name) }
  func schemaVersion() throws(DatabaseError) -> Int64 { try after(.schemaVersion).schemaVersion() }

  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    try after(.columns(table: table)).columns(in: table, inSchema: schema)
  }
  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    try after(.foreignKeys(table: table)).foreignKeys(on: table, inSchema: schema)
  }
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    try after(.indexes(table: table)).indexes(on: table, inSchema: schema)
  }
  func attachedFiles() throws(DatabaseError) -> [String] { try after(.attachedFiles).attachedFiles() }
  func counterTable() throws(DatabaseError) -> String? { try after(.counterTable).counterTable() }

  func foreignKeyViolations(in table: String?) throws(DatabaseError)
    -> () throws(DatabaseError) -> ForeignKeyViolation?
  {
    let next = try after(.foreignKeyViolations(table: table)).foreignKeyViolations(in: table)
    return { [interceptor] () throws(DatabaseError) in
      try interceptor.admit(.nextForeignKeyViolation(table: table))
      return try next()
    }
  }

  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try after(.statements(change)).statements(for: change)
  }
  func eraseEverything() throws(DatabaseError) { try after(.eraseEverything).eraseEverything() }
}

private struct InterceptedInterrupter: ConnectionInterrupter {
  let base: any ConnectionInterrupter
  let interceptor: any CallInterceptor

  func interrupt() {
    interceptor.note(.interrupt)
    base.interrupt()
  }
}

private final class InterceptedStateKeeper: Interception<any ConnectionStateKeeper>, ConnectionStateKeeper {
  func state() throws(DatabaseError) -> ConnectionState {
    try interceptor.admit(.connectionState)
    return try base.state()
  }

  func restore(_ state: ConnectionState) throws(DatabaseError) {
    try interceptor.admit(.restoreConnectionState)
    try base.restore(state)
  }
}

private final class InterceptedRecorder: Interception<any ChangeRecorder>, ChangeRecorder {
  var changes: RecordedChanges { base.changes }

  func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    try interceptor.admit(.addedObjects)
    return try base.addedObjects()
  }

  func start(isContinued: Bool) {
    interceptor.note(.startRecording)
    base.start(isContinued: isContinued)
  }

  func stop() {
    interceptor.note(.stopRecording)
    base.stop()
  }
}
