/// A short text that stands for the state on which a plan depends, so that a run can be bound to a plan that was reviewed.
///
/// It changes with the database's identity, its ledger and schema, the migrations with their sources, and the settings of
/// the run; not with the rows. It contains nothing but digests, and protects against accidents: a program that can read the
/// database and the migrations can compute it.
package struct PlanToken: Sendable, Equatable {
  /// A part of the state, as errors name it.
  package typealias Part = MigrationError.PlanPart

  /// The number of digits of each part, from which an outdated token's differences are read.
  private static let digitsOfPart = 4
  /// The number of digits that depend on all parts.
  private static let digitsOfWhole = 12

  /// The digests of the parts, in the order of ``Part``.
  private let digests: [String]

  /// Reads the state that a run of a migrator depends on.
  ///
  /// - Parameters:
  ///   - target: The last migration to apply; nil for all.
  ///   - database: The identity of the database; nil for the path and the inode of its file, or else its label.
  ///   - settings: Whatever else the run depends on, in an order that is always the same.
  package init(
    _ migrator: DatabaseMigrator, _ db: Database, upTo target: String?, database: String? = nil, settings: [String] = []
  ) throws {
    var history = Digest()
    for entry in try migrator.ledger.entries(db, withUnfinished: true) {
      history.append([
        entry.identifier, "\(entry.position)", entry.appliedAt, "\(entry.duration as Duration?, default: "")",
        entry.fingerprint ?? "", entry.checksum ?? "", entry.objectsText,
      ])
    }
    if !migrator.adopted.isEmpty { history.append(try migrator.unwrittenHistory(db).map(\.identifier)) }
    for object in try db.connection.schema().objects {
      history.append([object.kind.rawValue, object.name, object.tableName, object.sql ?? ""])
    }
    var migrations = Digest()
    for migration in migrator.registered {
      migrations.append([
        migration.identifier, "\(migration.mode)", "\(migration.undoneOnFailure)", migration.violationsUntil ?? "",
        migration.checksum ?? "", migration.text ?? "",
      ])
      migrations.append(migration.mergedIdentifiers.sorted())
    }
    let run = [
      target ?? "", migrator.ledgerTable, "\(migrator.commits)", "\(migrator.foreignKeyScope)",
      "\(migrator.eraseDatabaseOnSchemaChange)",
    ]
    digests = [
      Digest(of: [database ?? db.identity]).text, history.text, migrations.text, Digest(of: run + settings).text,
    ]
  }

  /// Combines the tokens of many databases; their order does not matter.
  package init(of tokens: some Collection<PlanToken>) {
    let sorted = tokens.map(\.digests).sorted { $0.lexicographicallyPrecedes($1) }
    digests = Part.allCases.indices.map { part in Digest(of: sorted.map { $0[part] }).text }
  }

  /// The token as the user types it: 16 digits, of which four depend on each part, and 12 that depend on all parts.
  package var text: String {
    digests.map { $0.prefix(Self.digitsOfPart) }.joined() + "-" + Digest(of: digests).text.prefix(Self.digitsOfWhole)
  }

  /// Throws ``MigrationError/planChanged(_:)`` unless a typed text is exactly this token.
  package func require(_ typed: String) throws(MigrationError) {
    let (own, other) = (Array(text.utf8), Array(typed.utf8))
    guard own != other else { return }
    let changed =
      own.count == other.count
      ? Part.allCases.indices.filter { part in
        let range = part * Self.digitsOfPart..<(part + 1) * Self.digitsOfPart
        return own[range] != other[range]
      } : []
    // If all parts differ, it is most likely not a token of this project.
    throw .planChanged(changed.count < digests.count ? changed.map { Part.allCases[$0] } : [])
  }

  /// The digest of texts, each preceded by its length, so that no two lists of texts are the same bytes.
  private struct Digest {
    private var digest = SHA256()
    var text: String { digest.hexadecimal }

    init(of texts: [String] = []) { append(texts) }

    mutating func append(_ texts: [String]) {
      for text in ["\(texts.count)"] + texts { digest.append(Array("\(text.utf8.count):\(text)".utf8)) }
    }
  }
}

extension Database {
  /// The path and the inode of the database's file, or else the label of the database.
  fileprivate var identity: String {
    guard let path = connection.storedBytesReader?.path else { return configuration.label ?? "" }
    return FileIdentity(path: path).map { "\(path) \($0.device):\($0.inode)" } ?? path
  }
}
