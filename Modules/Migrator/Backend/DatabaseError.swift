#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of a database, its engine or its file: the only error type that backends throw.
///
/// The error contains the statement that failed and the position of the error in that statement. It never contains a
/// key, and it contains bound values only if the configuration allows that.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, independent of the engine.
  public var condition: Condition
  /// The name of the engine that reported the error, or of the backend if no engine was reached.
  public var engine: String
  /// The engine's result code, the extended one if available; nil if the error is not from the engine.
  public var resultCode: Int32?
  /// A description of the error in one sentence, without a period.
  public var message: String
  /// A sentence that says how to fix the problem; nil if the message is enough.
  public var remedy: String?
  /// The statement that failed; nil if none was running.
  public var sql: String?
  /// The position in ``sql`` at which the engine found the error, in UTF-8 bytes; nil if the engine did not report one.
  public var utf8Offset: Int?
  /// The diagnosis of the file; nil if the file was not examined, or the error is not about a file.
  public var diagnosis: (any DatabaseDiagnosis)?
  /// The bound values in the order of the parameters; empty unless the configuration makes values public.
  public var arguments: [DatabaseValue]

  /// Creates an error.
  public init(
    _ condition: Condition, engine: String, resultCode: Int32? = nil, message: String, remedy: String? = nil,
    sql: String? = nil, utf8Offset: Int? = nil, arguments: [DatabaseValue] = []
  ) {
    self.condition = condition
    self.engine = engine
    self.resultCode = resultCode
    self.message = message
    self.remedy = remedy
    self.sql = sql
    self.utf8Offset = utf8Offset
    self.arguments = arguments
  }

  /// The engine, its result code, the message, the statement and the remedy.
  public var description: String {
    var text = numberedEngine.map { "\($0): \(message)" } ?? "\(engine): \(message)"
    if let sql { text += " - while executing `\(sql)`" }
    if !arguments.isEmpty { text += " with arguments \(arguments)" }
    if let remedy { text += ". \(remedy)" }
    return text
  }

  /// The message, with the engine's result code to look up; shortened if it quotes a long part of the statement.
  package var reason: String {
    let message = message.shortened(to: 500)
    return numberedEngine.map { "\(message) (\($0))" } ?? message
  }

  /// The engine with its result code; nil if the error is not from the engine.
  private var numberedEngine: String? {
    // Extended codes hold the primary code in their lowest byte (https://www.sqlite.org/rescode.html). Users look up
    // the primary code; ``resultCode`` has the extended one.
    resultCode.map { "\(engine) error \($0 & 0xff)" }
  }
}

/// The text that alerts and logs show with `localizedDescription`: without the statement and bound values, which may be
/// private.
extension DatabaseError: LocalizedError {
  /// The engine and the message, as a sentence.
  public var errorDescription: String? { "\(engine): \(message)." }

  /// The diagnosis of the file if it was examined, otherwise the engine's result code; nil if the error is not from the
  /// engine.
  public var failureReason: String? {
    diagnosis?.description ?? resultCode.map { "\(engine) reported error \($0 & 0xff), in full \($0)." }
  }

  /// A sentence that says how to fix the problem; nil if the description is enough.
  public var recoverySuggestion: String? { remedy ?? diagnosis?.remedy }
}

extension DatabaseError {
  /// Whether the error says nothing about the statement or object, and others would fail like it: there is no point in
  /// continuing with them.
  ///
  /// `.readOnly` is not among these errors, since a migration can set `query_only`; reading still works then. Nor are
  /// `.misuse`, which concerns one statement or access, and `.full`, which on a scratch database, in memory, means a limit
  /// that the statement has reached.
  package var concernsEverything: Bool {
    switch condition {
    case .interrupted, .outOfMemory, .inputOutput, .busy, .stale, .fileReplaced, .beingConverted, .connectionLost,
      .outcomeUnknown:
      true
    default: false
    }
  }

  /// Whether the error is about a statement, an object or the database's file, and neither about other connections nor
  /// about this process.
  package var concernsDatabase: Bool { condition == .inputOutput || !concernsEverything }

  /// Returns the result of a query that may be impossible for the object that it names; nil if it is.
  ///
  /// - Throws: An error that ``concernsEverything``, or one that is not the database's.
  package static func ifPossible<Value, Failure: Error>(
    _ query: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    do {
      return try query()
    } catch {
      if let error = error as? DatabaseError, !error.concernsEverything { return nil }
      throw error
    }
  }

  /// The kinds of errors, independent of the engine.
  public enum Condition: Sendable, Hashable {
    // Opening

    /// There is no file with that name, and the options do not allow creating it.
    case fileMissing
    /// The folder that should hold the file does not exist.
    case folderMissing
    /// The path names a folder.
    case isDirectory
    /// The operating system denies access to the file or its folder.
    case permissionDenied
    /// The file is a database without encryption, but a key was given.
    case plaintextDatabase
    /// The file cannot be read with the given key: the key or the settings are wrong, or the file is damaged.
    case wrongKey
    /// The file is encrypted or not a database at all, and no key was given.
    case notADatabase
    /// The key is malformed, or no key was given.
    case invalidKey
    /// The key store does not have the key: an existing file cannot be read, and a new one was not created.
    case keyMissing
    /// The key store does not release the key at the moment, for example because the device is locked: try again later.
    case keyNotAvailable
    /// The file cannot be opened for a reason that the engine does not report.
    case cannotOpen
    /// The engine's library is not on this machine.
    case libraryMissing
    /// The library that was found is not the engine's, or lacks required functions.
    case libraryUnsuitable
    /// The file is open in this process through another copy of the engine's library.
    case openedByAnotherEngine
    /// The file is being replaced by a converted copy, for example during encryption: try again when that is done.
    case beingConverted

    // Running

    /// The engine does not understand the statement, or the statement names an object that does not exist.
    case statement
    /// A constraint would be violated.
    case constraint(Constraint)
    /// Another connection holds a lock that the operation needs.
    case busy
    /// The transaction's schema or snapshot is outdated, because another connection has changed the database.
    case stale
    /// The database, its file or its folder is read-only.
    case readOnly
    /// The connection to the server was lost: neither the statement nor its transaction has changed the database.
    case connectionLost
    /// The connection to the server was lost during a commit: the changes are either all made or all undone.
    case outcomeUnknown
    /// The disk is full, or the database has reached its size limit.
    case full
    /// A value is too large for the engine.
    case tooBig
    /// A value's type does not fit its column.
    case typeMismatch
    /// Reading or writing the file failed.
    case inputOutput
    /// The file is damaged.
    case corrupt
    /// The file was moved, replaced or unlinked while it was open.
    case fileReplaced
    /// The statement was interrupted.
    case interrupted
    /// No memory is available.
    case outOfMemory
    /// The engine denies the operation.
    case denied
    /// This version of the engine does not support the operation.
    case unsupported
    /// The API was used incorrectly.
    case misuse
    /// A value cannot be read as the requested type.
    case conversion
    /// A requested row, table or other object does not exist.
    case notFound
    /// Any other error of the engine.
    case other
  }

  /// The constraint that was violated.
  public enum Constraint: Sendable, Equatable {
    /// A `CHECK` constraint.
    case check
    /// A `FOREIGN KEY` constraint.
    case foreignKey
    /// A `NOT NULL` constraint.
    case notNull
    /// A `PRIMARY KEY` constraint.
    case primaryKey
    /// A `UNIQUE` constraint.
    case unique
    /// The uniqueness of the rowid.
    case rowID
    /// An error raised by a trigger, with `RAISE`.
    case trigger
    /// The declared type of a column in a STRICT table.
    case dataType
    /// Another constraint, or one that the engine did not name.
    case other
  }
}

/// The diagnosis that a backend makes of a database file that could not be opened.
///
/// Each backend defines its own type, to which ``DatabaseError/diagnosis`` can be cast.
public protocol DatabaseDiagnosis: Sendable, CustomStringConvertible {
  /// A sentence that says how to fix the problem; nil if there is no fix.
  var remedy: String? { get }
}
