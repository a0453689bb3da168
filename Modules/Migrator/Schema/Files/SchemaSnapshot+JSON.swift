#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension SchemaSnapshot {
  /// The schema as JSON; equal schemas give equal texts, in whatever order their objects were created.
  ///
  /// An object with `"format": 1` and the snapshot, whose lists are ordered by name, as `"schema"`.
  ///
  /// - Throws: An error of the encoder, for values that JSON cannot say.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(SchemaFile(format: SchemaFile.currentFormat, schema: sortedByName))
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  /// Reads what ``json()`` writes.
  ///
  /// - Throws: ``SchemaFileError`` when the text is none, or is of a later format.
  public init(json: String) throws(SchemaFileError) {
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

/// Why a text is not a schema that can be read.
public enum SchemaFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text is not the JSON of a schema.
  case notASchema(reason: String)
  /// The text is of a format that this version does not know.
  case unknownFormat(Int)

  /// What is wrong, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .notASchema(let reason): "the text is not the JSON form of a schema: \(reason)"
    case .unknownFormat(let format): "the schema is of format \(format); this version reads format 1"
    }
  }
}

/// A schema in a file.
private struct SchemaFile: Codable {
  static let currentFormat = 1

  /// What every format has.
  struct Header: Codable {
    let format: Int
  }

  let format: Int
  let schema: SchemaSnapshot
}
