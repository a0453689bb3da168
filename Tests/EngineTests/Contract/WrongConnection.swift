import Migrator

/// A connection that is correct except for one fault.
final class WrongConnection: DatabaseConnection {
  let base: any DatabaseConnection
  let fault: Fault?
  private let isScratch: Bool
  private let number = Int.random(in: 0...Int.max)
  private var isClosed = false
  private var version: Int32?
  private weak var lastStatement: WrongStatement?
  var isInterrupted = InterruptionFlag()
  var hasBegun = false
  var cachedSchema: SchemaSnapshot?
  var cachedColumns: [String: [ColumnDescription]?] = [:]
  private(set) lazy var changeRecorder: (any ChangeRecorder)? = base.changeRecorder.map {
    WrongRecorder($0, connection: self)
  }

  init(_ base: any DatabaseConnection, fault: Fault?, isScratch: Bool) {
    self.base = base
    self.fault = fault
    self.isScratch = isScratch
  }

  static func changed(_ error: DatabaseError, by fault: Fault?) -> DatabaseError {
    var error = error
    switch fault {
    case .everyError: error.condition = .other
    case .errorsWithoutText: error.sql = nil
    case .errorsOfOthers: error.engine = "Other"
    case .countsCharacters:
      error.utf8Offset = error.utf8Offset.map {
        String(decoding: (error.sql ?? "").utf8.prefix($0), as: UTF8.self).count
      }
    default: break
    }
    return error
  }

  /// Forwards a call to the base connection, with its errors changed.
  func forward<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
    do throws(DatabaseError) { return try body() } catch { throw Self.changed(error, by: fault) }
  }

  var engine: EngineDescription {
    var engine = base.engine
    if fault == .changesItsVersion { engine.version += " \(number)" }
    if fault == .scratchOfOther, isScratch { engine.name = "Other" }
    if fault == .claimsEncryption { engine.abilities.insert(.encryption) }
    if fault == .claimsNothing { engine.abilities = [] }
    return engine
  }

  var isReadOnly: Bool { base.isReadOnly }
  var lastInsertedRowID: Int64 {
    fault == .rowIDOf32Bits ? Int64(Int32(truncatingIfNeeded: base.lastInsertedRowID)) : base.lastInsertedRowID
  }
  var runningReporter: (any RunningReporter)? {
    base.runningReporter.map { fault == .reportsNothing ? SilentReporter() : $0 }
  }

  var storedBytesReader: (any StoredBytesReader)? {
    base.storedBytesReader.map { WrongReader($0, fault: fault) }
  }

  var stateKeeper: (any ConnectionStateKeeper)? {
    base.stateKeeper.map { fault == .restoresNothing ? LazyKeeper($0) : $0 }
  }

  var extender: (any ConnectionExtender)? {
    base.extender.map { fault == .addsNothingToConnection ? LazyExtender() : $0 }
  }

  var changesCount: Int { fault == .countsTriggers ? base.totalChangesCount : base.changesCount }
  var totalChangesCount: Int { base.totalChangesCount }

  var interrupter: (any ConnectionInterrupter)? {
    switch fault {
    case .interruptsNothing: InterruptionFlag()
    case .interruptsLater: isInterrupted
    default: base.interrupter
    }
  }

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    if fault == .findsFirstOnly, utf8Offset > 0 { return Preparation(statement: nil, endOffset: script.utf8.count) }
    if fault == .oneStatement { lastStatement?.reset() }
    let isCut = fault == .stopsAtNUL && utf8Offset == 0
    let text = isCut ? String(script.prefix { $0 != "\0" }) : script
    let preparation = try forward { () throws(DatabaseError) in
      try base.prepare(text, utf8Offset: min(utf8Offset, text.utf8.count))
    }
    guard let prepared = preparation.statement else {
      if fault == .failsOnBlanks { throw DatabaseError(.statement, engine: "Wrong", message: "there is nothing") }
      return preparation
    }
    let statement = try WrongStatement(prepared, script: script, connection: self)
    lastStatement = statement
    var end = preparation.endOffset
    if fault == .countsCharacters { end = String(decoding: script.utf8.prefix(end), as: UTF8.self).count }
    if isCut, end == text.utf8.count { end = script.utf8.count }
    return Preparation(statement: statement, endOffset: end)
  }

  func userVersion() throws(DatabaseError) -> Int32 {
    if fault == .versionIsCached, let version { return version }
    return try forward { () throws(DatabaseError) in try base.userVersion() }
  }

  func setUserVersion(_ version: Int32) throws(DatabaseError) {
    try forward { () throws(DatabaseError) in try base.setUserVersion(version) }
    self.version = version
  }

  func applicationID() throws(DatabaseError) -> Int32 {
    try forward { () throws(DatabaseError) in
      fault == .versionIsIdentifier ? try base.userVersion() : try base.applicationID()
    }
  }

  func setApplicationID(_ identifier: Int32) throws(DatabaseError) {
    try forward { () throws(DatabaseError) in try base.setApplicationID(identifier) }
  }

  func close() throws(DatabaseError) {
    if fault == .failsToCloseTwice, isClosed { throw DatabaseError(.misuse, engine: "Wrong", message: "it is closed") }
    if fault == .commitsOnClose, base.isInsideTransaction { try base.commit() }
    isClosed = true
    try base.close()
  }

  /// Runs a statement on the base connection.
  func run(_ sql: String) throws(DatabaseError) {
    guard let statement = try base.prepare(sql, utf8Offset: 0).statement else { return }
    while try statement.step() {}
  }
}
