#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of a database, its engine or its file: the one error type that backends throw.
///
/// It names the statement and the place in it, never a key, and bound values only when the configuration says so.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, independently of the engine.
  public var condition: Condition
  /// The name of the engine that reported the error, or of the backend where none was reached.
  public var engine: String
  /// The engine's own number, as detailed as it gives one; nil when the error is not the engine's.
  public var resultCode: Int32?
  /// What happened, in one sentence, without a full stop.
  public var message: String
  /// What the reader can do about it, as a sentence; nil when the message says all.
  public var remedy: String?
  /// The statement that failed; nil when none was running.
  public var sql: String?
  /// The place in ``sql`` where the engine saw the error, in UTF-8 bytes; nil when it did not say.
  public var utf8Offset: Int?
  /// What the file is, as far as it was found out; nil where nobody looked, or the error is not about a file.
  public var diagnosis: (any DatabaseDiagnosis)?
  /// The bound values in the order of the parameters; empty unless the configuration makes them public.
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

  /// The engine, its number, what happened, in which statement, and what to do.
  public var description: String {
    var text = numberedEngine.map { "\($0): \(message)" } ?? "\(engine): \(message)"
    if let sql { text += " - while executing `\(sql)`" }
    if !arguments.isEmpty { text += " with arguments \(arguments)" }
    if let remedy { text += ". \(remedy)" }
    return text
  }

  /// What happened, with the engine's number to look up.
  package var reason: String { numberedEngine.map { "\(message) (\($0))" } ?? message }

  /// The engine with its number for the error; nil when the error is not the engine's.
  private var numberedEngine: String? {
    // Extended codes hold the primary code in their lowest byte (https://www.sqlite.org/rescode.html); people look
    // the primary one up, and ``resultCode`` has the other.
    resultCode.map { "\(engine) error \($0 & 0xff)" }
  }
}

/// What alerts and logs show by `localizedDescription`: neither the statement nor bound values, which may be private.
extension DatabaseError: LocalizedError {
  /// The engine and what happened, as a sentence.
  public var errorDescription: String? { "\(engine): \(message)." }

  /// The state of the file if it was examined, else the engine's own number; nil when the error is not the engine's.
  public var failureReason: String? {
    diagnosis?.description ?? resultCode.map { "\(engine) reported error \($0 & 0xff), in full \($0)." }
  }

  /// What the user can do about it; nil when the description says all.
  public var recoverySuggestion: String? { remedy ?? diagnosis?.remedy }
}

extension DatabaseError {
  /// What went wrong, independently of the engine.
  public enum Condition: Sendable, Hashable {
    // Opening

    /// No file of that name, and it was not to be created.
    case fileMissing
    /// The folder that should hold the file does not exist.
    case folderMissing
    /// The path names a folder.
    case isDirectory
    /// The operating system denies access to the file or its folder.
    case permissionDenied
    /// The file is a database without encryption, but a key was given.
    case plaintextDatabase
    /// The file is not readable with the key that was given: another key, other settings, or damage.
    case wrongKey
    /// The file is encrypted or not a database at all, and no key was given.
    case notADatabase
    /// The key is of no usable form, or none was given.
    case invalidKey
    /// What keeps the key does not have it: a file that exists cannot be read, and a new one was not created.
    case keyMissing
    /// What keeps the key does not give it out at this moment, as on a locked device: try again later.
    case keyNotAvailable
    /// The file cannot be opened for a reason that the engine does not name.
    case cannotOpen
    /// The engine's library is not on this machine.
    case libraryMissing
    /// The library that was found is not the engine, or lacks functions that are needed.
    case libraryUnsuitable
    /// The file is open in this process through another copy of an engine.
    case openedByAnotherEngine
    /// The file is being replaced by a converted copy, as while it is encrypted: try again when that is done.
    case beingConverted

    // Running

    /// A statement that the engine does not understand, or that names what does not exist.
    case statement
    /// A constraint would be violated.
    case constraint(Constraint)
    /// Another connection holds a lock.
    case busy
    /// Another connection changed the schema or the snapshot in the meantime.
    case stale
    /// The database, its file or its folder can only be read.
    case readOnly
    /// There is no room left on the disk, or the database has reached its size limit.
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
    /// There is no memory left.
    case outOfMemory
    /// The engine refuses the operation.
    case denied
    /// The engine, at its version, has no way to do that.
    case unsupported
    /// The interface was used in a way that it does not allow.
    case misuse
    /// A value cannot be read as the type that was asked for.
    case conversion
    /// The rows asked for do not exist.
    case notFound
    /// Any other error of the engine.
    case other
  }

  /// Which constraint was violated.
  public enum Constraint: Sendable, Hashable {
    /// CHECK.
    case check
    /// FOREIGN KEY.
    case foreignKey
    /// NOT NULL.
    case notNull
    /// PRIMARY KEY.
    case primaryKey
    /// UNIQUE.
    case unique
    /// The rowid is in use.
    case rowID
    /// A trigger raised an error.
    case trigger
    /// The declared type of a strict table.
    case dataType
    /// Another one, or the engine did not say which.
    case other
  }
}

/// What a backend found out about the file of a database that could not be opened.
///
/// Each backend has a type of its own, to which ``DatabaseError/diagnosis`` can be cast.
public protocol DatabaseDiagnosis: Sendable, CustomStringConvertible {
  /// What can be done about it, as a sentence; nil when nothing can.
  var remedy: String? { get }
}
