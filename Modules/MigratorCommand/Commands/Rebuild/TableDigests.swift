internal import Migrator
internal import SQLSyntax

/// What is in each table, as a number that differs when the rows differ.
struct TableDigests: Sendable {
  /// More rows than these are only counted: the digest is taken at each save of a file.
  private static let limit = 20_000

  private var digests: [String: UInt64] = [:]

  /// Reads the rows of all tables; those of virtual tables are in the tables that these keep them in.
  init(_ db: Database) throws {
    for table in try db.schema().objects where table.kind == .table && !table.isVirtual {
      digests[table.name.lowercased()] = try Self.digest(of: table.name, db)
    }
  }

  subscript(table: String) -> UInt64? { digests[table.lowercased()] }

  /// Forgets the tables whose rows differ between two moments.
  mutating func forget(changedFrom before: TableDigests, to after: TableDigests) {
    digests = digests.filter { before.digests[$0.key] == after.digests[$0.key] }
  }

  private static func digest(of table: String, _ db: Database) throws -> UInt64 {
    let name = "main.\(table.quotedIdentifier)"
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0
    var hash = Hash()
    hash.add(String(count).utf8)
    guard count <= limit else { return hash.value }
    // Text that no two different values have in common (https://www.sqlite.org/lang_corefunc.html#quote).
    let values = try db.columns(in: table).map { "quote(\($0.name.quotedIdentifier))" }
    let rows = try String.fetchCursor(db, sql: "SELECT \(values.joined(separator: " || ',' || ")) FROM \(name)")
    while let row = try rows.next() { hash.add(row.utf8) }
    return hash.value
  }

  /// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): no secret hangs on it.
  private struct Hash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
      value = (value ^ 0xFF) &* 0x100_0000_01B3
    }
  }
}
