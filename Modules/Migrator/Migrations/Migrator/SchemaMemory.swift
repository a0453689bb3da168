/// What a migrator and its copies have found out about schemas, so that it need not be found out again.
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

  private struct Content {
    var expected: (origin: Origin, schema: SchemaSnapshot)?
    var match: (label: String, ledger: String, schema: SchemaSnapshot)?
  }

  // One of each: a program has one database, and tests that have many do not ask twice.
  private let content = Lock(Content())

  /// The schema that migrations make, if it was remembered.
  func expectedSchema(_ origin: Origin) -> SchemaSnapshot? {
    content.withLock { $0.expected.flatMap { $0.origin == origin ? $0.schema : nil } }
  }

  /// Remembers the schema that migrations make.
  func remember(_ schema: SchemaSnapshot, madeBy origin: Origin) { content.withLock { $0.expected = (origin, schema) } }

  /// Whether a database with this ledger and this schema was found to match its migrations.
  func knowsMatch(_ label: String, ledger: String, schema: SchemaSnapshot) -> Bool {
    content.withLock { content in
      content.match.map { $0.label == label && $0.ledger == ledger && $0.schema == schema } ?? false
    }
  }

  /// Remembers that a database with this ledger and this schema matches its migrations.
  func rememberMatch(_ label: String, ledger: String, schema: SchemaSnapshot) {
    content.withLock { $0.match = (label, ledger, schema) }
  }
}
