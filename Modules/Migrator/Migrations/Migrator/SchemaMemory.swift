/// The knowledge of a migrator and its copies about schemas, kept so that it need not be acquired again.
///
/// It lasts as long as the process, whose migrations cannot change.
final class SchemaMemory: Sendable {
  /// What decides about the schema that migrations make.
  struct Origin: Sendable, Hashable {
    /// The applied migrations, in the order of their application.
    var identifiers: [String]
    var engine: EngineDescription
    /// The database, whose settings its scratch databases share.
    var label: String
  }

  // Only the last one: a program has one database, and tests that have many do not ask twice.
  private let expected = Lock<(origin: Origin, schema: SchemaSnapshot)?>(nil)

  func expectedSchema(_ origin: Origin) -> SchemaSnapshot? {
    expected.withLock { $0.flatMap { $0.origin == origin ? $0.schema : nil } }
  }

  func remember(_ schema: SchemaSnapshot, madeBy origin: Origin) { expected.withLock { $0 = (origin, schema) } }
}
