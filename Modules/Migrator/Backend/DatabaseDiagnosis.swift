/// What a backend found out about the file of a database that could not be opened.
///
/// Each backend has a type of its own, to which ``DatabaseError/diagnosis`` can be cast.
public protocol DatabaseDiagnosis: Sendable, CustomStringConvertible {
  /// What can be done about it, as a sentence; nil when nothing can.
  var remedy: String? { get }
}
