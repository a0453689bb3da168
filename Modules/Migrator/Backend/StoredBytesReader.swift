/// Reads a database as it is stored, byte by byte: encrypted where it is encrypted.
///
/// An ability: engines that cannot do that give no reader, and their databases are backed up by other means than the
/// core's. What is read is one state of the database, the one that the open transaction sees or a later one that another
/// connection has committed meanwhile, as one file that a connection with the same settings opens.
public protocol StoredBytesReader: AnyObject {
  /// Where the database is, for naming its copies; nil where it is in no file.
  var path: String? { get }

  /// Calls `body` with all bytes, in order and in pieces of some hundred kilobytes; not at all for a database that holds
  /// nothing yet.
  ///
  /// - Precondition: A transaction is open that has read, and has changed nothing.
  /// - Throws: ``DatabaseError``, as ``DatabaseError/Condition-swift.enum/busy`` when others changed the database in a
  ///   way that spoils the copy, which may be begun again; what `body` throws.
  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}
