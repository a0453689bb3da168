internal import Migrator

/// Forwards to another connection and shows each call to an interceptor.
final class InterceptedConnection: DatabaseConnection {
  let base: any DatabaseConnection
  let interceptor: any CallInterceptor

  // An engine may give a new recorder with each call, and a recorder that is released stops.
  private(set) lazy var changeRecorder: (any ChangeRecorder)? = base.changeRecorder.map {
    InterceptedRecorder($0, interceptor: interceptor)
  }

  init(_ base: any DatabaseConnection, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

  var engine: EngineDescription { base.engine }
  var isReadOnly: Bool { base.isReadOnly }
  var lastInsertedRowID: Int64 { base.lastInsertedRowID }
  var changesCount: Int { base.changesCount }
  var totalChangesCount: Int { base.totalChangesCount }

  var runningReporter: (any RunningReporter)? { base.runningReporter }
  var storedBytesReader: (any StoredBytesReader)? { base.storedBytesReader }
  var stateKeeper: (any ConnectionStateKeeper)? { base.stateKeeper }

  var interrupter: (any ConnectionInterrupter)? {
    base.interrupter.map { InterceptedInterrupter(base: $0, interceptor: interceptor) }
  }

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    try interceptor.admit(.prepare(script: script, utf8Offset: utf8Offset))
    let preparation = try base.prepare(script, utf8Offset: utf8Offset)
    guard let statement = preparation.statement else { return preparation }
    return Preparation(
      statement: InterceptedStatement(statement, interceptor: interceptor), endOffset: preparation.endOffset)
  }

  func userVersion() throws(DatabaseError) -> Int32 {
    try interceptor.admit(.userVersion)
    return try base.userVersion()
  }

  func setUserVersion(_ version: Int32) throws(DatabaseError) {
    try interceptor.admit(.setUserVersion(version))
    try base.setUserVersion(version)
  }

  func applicationID() throws(DatabaseError) -> Int32 {
    try interceptor.admit(.applicationID)
    return try base.applicationID()
  }

  func setApplicationID(_ identifier: Int32) throws(DatabaseError) {
    try interceptor.admit(.setApplicationID(identifier))
    try base.setApplicationID(identifier)
  }

  func close() throws(DatabaseError) {
    // The connection is closed even where the call is made to fail: an open file would disturb what comes afterwards.
    let result = Result { () throws(DatabaseError) in try base.close() }
    try interceptor.admit(.close)
    try result.get()
  }
}

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

extension InterceptedConnection {
  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    try interceptor.admit(.schema)
    return try base.schema(named: name)
  }

  func schemaVersion() throws(DatabaseError) -> Int64 {
    try interceptor.admit(.schemaVersion)
    return try base.schemaVersion()
  }

  func canonicalDefinition(_ sql: String) -> String {
    interceptor.note(.canonicalDefinition(sql))
    return base.canonicalDefinition(sql)
  }

  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    try interceptor.admit(.columns(table: table))
    return try base.columns(in: table, inSchema: schema)
  }

  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    try interceptor.admit(.foreignKeys(table: table))
    return try base.foreignKeys(on: table, inSchema: schema)
  }

  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    try interceptor.admit(.indexes(table: table))
    return try base.indexes(on: table, inSchema: schema)
  }

  func attachedFiles() throws(DatabaseError) -> [String] {
    try interceptor.admit(.attachedFiles)
    return try base.attachedFiles()
  }

  func counterTable() throws(DatabaseError) -> String? {
    try interceptor.admit(.counterTable)
    return try base.counterTable()
  }

  func foreignKeyViolations(in table: String?) throws(DatabaseError)
    -> () throws(DatabaseError) -> ForeignKeyViolation?
  {
    try interceptor.admit(.foreignKeyViolations(table: table))
    let next = try base.foreignKeyViolations(in: table)
    let interceptor = interceptor
    return { () throws(DatabaseError) in
      try interceptor.admit(.nextForeignKeyViolation(table: table))
      return try next()
    }
  }

  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try interceptor.admit(.statements(change))
    return try base.statements(for: change)
  }

  func eraseEverything() throws(DatabaseError) {
    try interceptor.admit(.eraseEverything)
    try base.eraseEverything()
  }
}

/// Forwards to another interrupter.
private struct InterceptedInterrupter: ConnectionInterrupter {
  let base: any ConnectionInterrupter
  let interceptor: any CallInterceptor

  func interrupt() {
    interceptor.note(.interrupt)
    base.interrupt()
  }
}

/// Forwards to another recorder.
private final class InterceptedRecorder: ChangeRecorder {
  private let base: any ChangeRecorder
  private let interceptor: any CallInterceptor

  init(_ base: any ChangeRecorder, interceptor: any CallInterceptor) {
    self.base = base
    self.interceptor = interceptor
  }

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
