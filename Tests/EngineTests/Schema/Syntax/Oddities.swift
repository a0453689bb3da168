import Foundation
import TestEngines

/// The definitions of Oddities.sql, with names of every kind.
enum Oddities {
  /// The spellings of the name.
  private static let names = [
    "odd", "\"odd\"", "[odd]", "`odd`", "'odd'", "\"\"", "\" \"", "\"two words\"", "\"a\"\"b\"", "[a\"b]", "`a``b`",
    "\"a.b\"", "\"a;b\"", "\"a--b\"", "\"a/*b\"", "key", "\"select\"", "é日本", "\"😀\"", "\"UPPER\"", "\"100%_\"",
    "\"new\"",
    "\"rowid\"", "\"it's\"", "\"x]y\"", "\"line\nbreak\"", "_", "a$b",
  ]

  /// The tables and views that definitions refer to, with rows.
  static let base = """
    CREATE TABLE t1(a, b, c); CREATE TABLE t2(b, d); CREATE VIEW v1 AS SELECT a, d FROM t1, t2;
    CREATE VIRTUAL TABLE f1 USING fts4(body);
    INSERT INTO t1 VALUES (1, 'x', NULL), ('two', 'y', 2.5); INSERT INTO t2 VALUES ('x', 1), (NULL, x'00');
    INSERT INTO f1 VALUES ('some words'), ('other words');
    """

  /// Whether the long form runs.
  static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  /// A definition with one of the names.
  struct Definition {
    /// The definition, with `NAME` in place of the name.
    let template: String
    /// The name as SQL.
    let name: String

    var sql: String { template.replacing("NAME", with: name) }

    /// Whether it is a full-text table that refers to itself; reading one crashes SQLite 3.15.
    var isItsOwnContent: Bool { name == "\"\"" && template.contains("content=\"\"") }
  }

  /// The number of definitions in the short form.
  private static let sampleCount = 218

  /// Returns all definitions with a number of names each; in the short form, a sample of them, with two of the names.
  static func definitions(nameCount: Int = names.count) throws -> [Definition] {
    let path = #filePath.replacing("Oddities.swift", with: "Oddities.sql")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("--") }
    var random = SeededGenerator(seed: SeededGenerator.seed(of: "odd definitions"))
    let sample = isLong ? lines : Array(lines.shuffled(using: &random).prefix(sampleCount))
    // The first name with each definition, and the others in turn.
    let otherCount = (isLong ? nameCount : 2) - 1
    return sample.enumerated().flatMap { index, line in
      let others = (0..<otherCount).map { names[1 + (index * otherCount + $0) % (names.count - 1)] }
      return ([names[0]] + others).map { Definition(template: String(line), name: $0) }.filter { !$0.isItsOwnContent }
    }
  }
}
