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

final class BlindedConnection: ForwardingConnection {
  private let blindness: Blindness?
  private let recorder: BlindedRecorder?
  private var oldSchema: SchemaSnapshot?

  init(_ base: any DatabaseConnection, _ blindness: Blindness?) {
    self.blindness = blindness
    recorder = base.changeRecorder.map { BlindedRecorder($0, blindness) }
    super.init(base)
  }

  override var changeRecorder: (any ChangeRecorder)? { recorder }

  override func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    let preparation = try base.prepare(script, utf8Offset: utf8Offset)
    recorder?.statementPrepared(script)
    return preparation
  }

  override func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    let schema = try base.schema(named: name)
    guard name == nil, blindness == .seesNoDifference || blindness == .seesRowsOnly else { return schema }
    // A watch reads the schema before it starts recording, and again before the transaction ends.
    if recorder?.hasStarted != true || oldSchema == nil { oldSchema = schema }
    return oldSchema ?? schema
  }

  override func schemaVersion() throws(DatabaseError) -> Int64 {
    blindness == .keepsGraphs ? 1 : try base.schemaVersion()
  }

  override func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription]
  {
    var keys = try base.foreignKeys(on: table, inSchema: schema)
    if blindness == .knowsNoChildren {
      for index in keys.indices { keys[index].destinationTable += " by another name" }
    }
    return keys
  }

  override func commit() throws(DatabaseError) {
    recorder?.hasStarted = false
    try base.commit()
  }

  override func rollback() throws(DatabaseError) {
    recorder?.hasStarted = false
    try base.rollback()
  }
}
