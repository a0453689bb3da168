internal import DqliteWire
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

final class DqliteConnection: DatabaseConnection, SQLiteConnection {
  let engine: EngineDescription
  let features: SQLiteFeatures
  let isReadOnly: Bool
  let session: DqliteSession
  /// Whether all objects are removed when the connection closes: a cluster cannot delete a database.
  private let erasesOnClose: Bool
  private var recorder: ExplainRecorder?
  private var isClosed = false
  private var split: ScriptStatements?

  init(
    _ database: String, _ search: LeaderSearch, _ options: ConnectionOptions, erasesOnClose: Bool
  ) throws(DatabaseError) {
    session = DqliteSession(database, search, options)
    isReadOnly = options.isReadOnly
    self.erasesOnClose = erasesOnClose
    let query = """
      SELECT sqlite_version(),
        sqlite_compileoption_used('ENABLE_FTS3') OR sqlite_compileoption_used('ENABLE_FTS4'),
        sqlite_compileoption_used('ENABLE_FTS5')
      """
    let rows = try session.query(query)
    guard try session.next(rows, query), case .text(let range) = rows.value(0) else {
      throw DqliteError.make(.other, "the node does not report its version of SQLite")
    }
    let version = rows.message.body.text(range)
    let number = version.split(separator: ".").prefix(3).reduce(0) { $0 &* 1000 &+ (Int($1) ?? 0) }
    features = SQLiteFeatures(versionNumber: number)
    // A row that a statement with RETURNING inserts outside a transaction is not replicated.
    var abilities = EngineAbilities(sqliteVersionNumber: number).subtracting(.returning)
    if rows.value(1) == .integer(1) { abilities.insert(.fts4) }
    if rows.value(2) == .integer(1) { abilities.insert(.fts5) }
    engine = EngineDescription(name: DqliteError.engine, version: "SQLite \(version)", abilities: abilities)
    recorder = ExplainRecorder(self)
  }

  var lastInsertedRowID: Int64 { session.lastInsertedRowID }
  var changesCount: Int { session.changesCount }

  /// The number of rows changed; all changes are those of this driver, so the recorder is notified of them here.
  var totalChangesCount: Int {
    let count = session.totalChangesCount
    recorder?.noteChanges(count: count - notedChanges)
    notedChanges = count
    return count
  }
  private var notedChanges = 0

  // Nothing can stop a statement that runs on a node of dqlite 1.11.
  var interrupter: (any ConnectionInterrupter)? { nil }
  var changeRecorder: (any ChangeRecorder)? { recorder }
  var runningReporter: (any RunningReporter)? { nil }
  var storedBytesReader: (any StoredBytesReader)? { nil }
  var extender: (any ConnectionExtender)? { nil }
  var stateKeeper: (any ConnectionStateKeeper)? { SQLiteStateKeeper(self) }

  /// Runs the closure: nodes do not use SQLite's defensive mode.
  func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) { try body() }

  func close() throws(DatabaseError) {
    guard !isClosed else { return }
    isClosed = true
    // Closing the connection ends the transaction; an error must not prevent that.
    if erasesOnClose { try? erase() }
    recorder?.stop()
    recorder = nil
    session.close()
  }

  private func erase() throws(DatabaseError) {
    try rollback()
    try setEnforcesForeignKeys(false)
    try begin(.immediate)
    try eraseEverything()
    try commit()
  }

  // MARK: Preparing

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    precondition((0...script.utf8.count).contains(utf8Offset), "The offset \(utf8Offset) lies outside the script")
    // A script is split once, and not for each of its statements.
    let statements = split?.script.hasSameBytes(as: script) == true ? split : nil
    split = statements ?? ScriptStatements(script)
    guard let found = split?.first(from: utf8Offset) else {
      return Preparation(statement: nil, endOffset: script.utf8.count)
    }
    if let offset = found.text.utf8.firstIndex(of: 0) {
      var error = DqliteError.make(
        .statement, "the statement contains a NUL character", remedy: "Bind text that contains one as an argument.",
        sql: found.text)
      error.utf8Offset = found.text.utf8.distance(from: found.text.startIndex, to: offset)
      throw error
    }
    let statement = try DqliteStatement(found.text, session, recorder)
    statement.explainToRecorder()
    return Preparation(statement: statement, endOffset: found.range.upperBound)
  }
}
