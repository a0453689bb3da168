internal import SQLSyntax

/// A digest of a set of definitions that can be kept up to date one by one.
///
/// Each object counts by the exclusive or of its own digest, so that adding and taking away are the same step and their
/// order does not matter.
struct SchemaFingerprint: Hashable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// Adds an object, or takes it away if it was added; one without a definition does not count.
  mutating func toggle(_ object: SchemaObject.Name, _ sql: String?, canonical: (String) -> String) {
    guard let sql else { return }
    var text = Array(object.kind.rawValue.utf8)
    text.append(UInt8(ascii: " "))
    text += object.name.utf8
    text.append(UInt8(ascii: "\n"))
    text += canonical(sql).utf8
    let digest = SHA256.words(of: text)
    high ^= UInt64(digest[0]) << 32 | UInt64(digest[1])
    low ^= UInt64(digest[2]) << 32 | UInt64(digest[3])
  }

  /// 32 hexadecimal digits.
  var text: String {
    String(unsafeUninitializedCapacity: 32) { text in
      for index in 0..<32 {
        let word = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4) & 0xF)
        text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
      }
      return 32
    }
  }
}

extension SchemaSnapshot {
  /// A digest of all definitions by their meaning: equal for schemas between which there is no difference.
  ///
  /// 32 hexadecimal digits.
  ///
  /// - Parameter tables: Tables that are left out with all that belongs to them, such as a ledger.
  public func fingerprint(leavingOut tables: Set<String> = []) -> String {
    var fingerprint = SchemaFingerprint()
    for (name, object) in countedObjects(leavingOut: tables) {
      fingerprint.toggle(name, object.sql, canonical: canonicalDefinition)
    }
    return fingerprint.text
  }

  /// The canonical text of one of the schema's definitions, whose references are read as the schema's tables declare
  /// their keys.
  func canonicalDefinition(_ sql: String) -> String {
    SQLNormalization.canonicalDefinition(of: sql) { table in
      object(.table, named: table)?.sql.flatMap(SQLNormalization.primaryKey(of:))
    }
  }

  /// The objects that have a definition, by their names, without those that virtual tables make for themselves.
  func countedObjects(leavingOut tables: Set<String> = []) -> [SchemaObject.Name: SchemaObject] {
    let omitted = Set(tables.map(\.asciiLowercased))
    var named: [SchemaObject.Name: SchemaObject] = [:]
    for object in objects where !object.isShadow && object.sql != nil {
      guard !omitted.contains(object.tableName.asciiLowercased) else { continue }
      named[SchemaObject.Name(kind: object.kind, name: object.name.asciiLowercased)] = object
    }
    return named
  }
}
