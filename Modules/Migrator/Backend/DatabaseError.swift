/// An error of a database, its engine or its file: the one error type that backends throw.
///
/// It names the statement and the place in it, never a key, and bound values only when the configuration says so.
public struct DatabaseError: Error, Sendable {
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
}

extension DatabaseError: CustomStringConvertible {
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
