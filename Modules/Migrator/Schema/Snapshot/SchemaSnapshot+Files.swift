#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import SQLSyntax

extension SchemaSnapshot {
  /// Returns the schema as JSON; equal schemas have equal JSON, regardless of the order in which objects were created.
  ///
  /// The JSON is an object with `"format": 1` and, as `"schema"`, the snapshot with all lists ordered by name.
  ///
  /// - Throws: An error from the encoder, for values that JSON cannot represent.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(SchemaFile(format: SchemaFile.currentFormat, schema: sortedByName))
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  /// Creates a snapshot from the output of ``json()``.
  ///
  /// - Throws: ``SchemaFileError`` if the text is not the output of ``json()``, or has a later format.
  package init(json: String) throws(SchemaFileError) {
    let data = Data(json.utf8)
    let decoder = JSONDecoder()
    let header: SchemaFile.Header
    do {
      header = try decoder.decode(SchemaFile.Header.self, from: data)
    } catch {
      throw .notASchema(reason: "\(error)")
    }
    guard header.format == SchemaFile.currentFormat else { throw .unknownFormat(header.format) }
    do {
      self = try decoder.decode(SchemaFile.self, from: data).schema
    } catch {
      throw .notASchema(reason: "\(error)")
    }
  }
}

/// The reason why a schema file cannot be read.
package enum SchemaFileError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The text is not the JSON of a schema.
  case notASchema(reason: String)
  /// The text has a format that this version does not support.
  case unknownFormat(Int)

  /// A description of the error, as a sentence without a period.
  package var description: String {
    switch self {
    case .notASchema(let reason): "the text is not the JSON form of a schema: \(reason)"
    case .unknownFormat(let format): "the schema has format \(format), but this version supports only format 1"
    }
  }

  /// A description of the error, as a sentence.
  package var errorDescription: String? { "The schema cannot be read: \(self)." }

  /// A sentence that says how to fix the problem.
  package var recoverySuggestion: String? {
    switch self {
    case .notASchema: "Use a file that `SchemaSnapshot.json()` or `migrator dump --json` wrote."
    case .unknownFormat: "Update the program, or write the file again with this version."
    }
  }
}

private struct SchemaFile: Codable {
  static let currentFormat = 1

  struct Header: Codable {
    let format: Int
  }

  let format: Int
  let schema: SchemaSnapshot
}

extension SchemaSnapshot {
  /// Returns the schema as a script that creates it in an empty database; equal schemas have equal scripts.
  ///
  /// Tables come first, each followed by its indexes, then virtual tables, indexes of the tables that virtual tables
  /// create, views and triggers; each group is ordered by name. Objects that the engine or a virtual table creates are
  /// left out, since they could not be created twice.
  ///
  /// - Parameter tables: Tables to leave out, with their indexes and triggers, such as a ledger.
  package func sql(leavingOut tables: Set<String> = []) -> String {
    statements(leavingOut: tables).map { SQLFragment.closed($0) + ";\n" }.joined(separator: "\n")
  }

  private func statements(leavingOut omitted: Set<String>) -> [String] {
    let counted = countedObjects(leavingOut: omitted).sorted { $0.key < $1.key }.map(\.value)
    var statements: [String] = []
    let add = { (objects: [SchemaObject]) in statements += objects.compactMap(\.sql) }
    var indexes = Dictionary(grouping: counted.filter { $0.kind == .index }, by: \.tableName.asciiLowercased)
    for table in counted where table.kind == .table && !table.isVirtual {
      add([table] + (indexes.removeValue(forKey: table.name.asciiLowercased) ?? []))
    }
    // A table that reads another full-text table must come after it (https://www.sqlite.org/fts3.html#fts4aux).
    let virtual = counted.filter { $0.kind == .table && $0.isVirtual }
    let looksIntoOther = { (table: SchemaObject) in
      !table.mentions.isDisjoint(with: ["fts4aux", "fts5vocab"])
    }
    add(virtual.filter { !looksIntoOther($0) })
    add(virtual.filter(looksIntoOther))
    add(counted.filter { $0.kind == .index && indexes[$0.tableName.asciiLowercased] != nil })
    add(counted.filter { $0.kind == .view })
    add(counted.filter { $0.kind == .trigger })
    return statements
  }
}

extension SchemaObject {
  /// The keywords and names in the definition, in lowercase.
  package var mentions: Set<String> { Set(SQLSource(sql ?? "").tokens.map(\.folded)) }
}
