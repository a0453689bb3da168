import Migrator

/// Information that is hidden from the watch, so that its rule becomes weaker.
enum Blindness: CaseIterable, Sendable {
  /// The recorder reports nothing: only differences of the schema count.
  case recordsNothing
  /// The recorder reports only changed rows, and the schema seems unchanged.
  case seesRowsOnly
  /// The schema seems unchanged.
  case seesNoDifference
  /// The children of changed parents are unknown.
  case knowsNoChildren
  /// Old graphs are used as new ones.
  case keepsGraphs
}

/// A backend that hides information from the watch.
struct BlindedBackend: DatabaseBackend {
  let base: any DatabaseBackend
  let blindness: Blindness?

  var label: String { base.label }
  var isShared: Bool { base.isShared }
  func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    BlindedConnection(try base.connect(options), blindness)
  }
}

final class BlindedRecorder: ChangeRecorder {
  private let base: any ChangeRecorder
  private let blindness: Blindness?
  private var seen: Set<String> = []
  private var rows: Set<String> = []
  private var isRecording = false
  /// Whether recording has started in this transaction.
  var hasStarted = false

  init(_ base: any ChangeRecorder, _ blindness: Blindness?) {
    self.base = base
    self.blindness = blindness
  }

  func start(isContinued: Bool) {
    seen = []
    rows = []
    isRecording = true
    hasStarted = true
    base.start(isContinued: isContinued)
  }

  func stop() {
    isRecording = false
    base.stop()
  }

  /// Takes newly touched tables for those whose rows the statement changes, unless it changes definitions.
  func statementPrepared(_ sql: String) {
    guard isRecording else { return }
    let new = base.changes.tables.subtracting(seen)
    seen.formUnion(new)
    if !["CREATE", "DROP", "ALTER"].contains(where: { sql.hasPrefix($0) }) { rows.formUnion(new) }
  }

  func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    // The hidden information must not reach the watch in another way.
    blindness == nil ? try base.addedObjects() : nil
  }

  var changes: RecordedChanges {
    switch blindness {
    case .recordsNothing: RecordedChanges()
    case .seesRowsOnly: RecordedChanges(tables: rows)
    default: base.changes
    }
  }
}

final class BlindedConnection: DatabaseConnection {
  let base: any DatabaseConnection
  private let blindness: Blindness?
  private let recorder: BlindedRecorder?
  private var oldSchema: SchemaSnapshot?

  init(_ base: any DatabaseConnection, _ blindness: Blindness?) {
    self.base = base
    self.blindness = blindness
    recorder = base.changeRecorder.map { BlindedRecorder($0, blindness) }
  }

  var changeRecorder: (any ChangeRecorder)? { recorder }

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    let preparation = try base.prepare(script, utf8Offset: utf8Offset)
    recorder?.statementPrepared(script)
    return preparation
  }

  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    let schema = try base.schema(named: name)
    guard name == nil, blindness == .seesNoDifference || blindness == .seesRowsOnly else { return schema }
    // A watch reads the schema before it starts recording, and again before the transaction ends.
    if recorder?.hasStarted != true || oldSchema == nil { oldSchema = schema }
    return oldSchema ?? schema
  }

  func schemaVersion() throws(DatabaseError) -> Int64 { blindness == .keepsGraphs ? 1 : try base.schemaVersion() }

  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    var keys = try base.foreignKeys(on: table, inSchema: schema)
    if blindness == .knowsNoChildren {
      for index in keys.indices { keys[index].destinationTable += " by another name" }
    }
    return keys
  }

  // The remaining methods forward to the base.
  var engine: EngineDescription { base.engine }
  var isReadOnly: Bool { base.isReadOnly }
  var lastInsertedRowID: Int64 { base.lastInsertedRowID }
  var changesCount: Int { base.changesCount }
  var totalChangesCount: Int { base.totalChangesCount }
  var interrupter: (any ConnectionInterrupter)? { base.interrupter }
  var runningReporter: (any RunningReporter)? { base.runningReporter }
  var storedBytesReader: (any StoredBytesReader)? { base.storedBytesReader }
  var stateKeeper: (any ConnectionStateKeeper)? { base.stateKeeper }
  var extender: (any ConnectionExtender)? { base.extender }
  func userVersion() throws(DatabaseError) -> Int32 { try base.userVersion() }
  func setUserVersion(_ version: Int32) throws(DatabaseError) { try base.setUserVersion(version) }
  func applicationID() throws(DatabaseError) -> Int32 { try base.applicationID() }
  func setApplicationID(_ identifier: Int32) throws(DatabaseError) { try base.setApplicationID(identifier) }
  func close() throws(DatabaseError) { try base.close() }
  var isInsideTransaction: Bool { base.isInsideTransaction }
  func begin(_ kind: TransactionKind) throws(DatabaseError) { try base.begin(kind) }
  func commit() throws(DatabaseError) {
    recorder?.hasStarted = false
    try base.commit()
  }
  func rollback() throws(DatabaseError) {
    recorder?.hasStarted = false
    try base.rollback()
  }
  func dataVersion() throws(DatabaseError) -> Int64? { try base.dataVersion() }
  func beginSavepoint(_ name: String) throws(DatabaseError) { try base.beginSavepoint(name) }
  func releaseSavepoint(_ name: String) throws(DatabaseError) { try base.releaseSavepoint(name) }
  func rollbackSavepoint(_ name: String) throws(DatabaseError) { try base.rollbackSavepoint(name) }
  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try base.enforcesForeignKeys() }
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) { try base.setEnforcesForeignKeys(enforced) }
  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    try base.columns(in: table, inSchema: schema)
  }
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    try base.indexes(on: table, inSchema: schema)
  }
  func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    try base.foreignKeyViolations(in: table)
  }
  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try base.statements(for: change)
  }
  func attachedFiles() throws(DatabaseError) -> [String] { try base.attachedFiles() }
  func counterTable() throws(DatabaseError) -> String? { try base.counterTable() }
  func eraseEverything() throws(DatabaseError) { try base.eraseEverything() }
}
