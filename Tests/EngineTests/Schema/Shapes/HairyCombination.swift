import Migrator
import SQLSyntax
import TestEngines

/// Several properties in one table.
struct HairyCombination: Sendable {
  let properties: [HairyProperty]

  /// Combines properties; those that do not fit the earlier ones are left out.
  init(_ wanted: [HairyProperty]) {
    var properties: [HairyProperty] = []
    for property in wanted {
      if property.needsRowIDs, properties.contains(where: { $0.option == "WITHOUT ROWID" }) { continue }
      if property.option == "STRICT", properties.contains(where: { !$0.fitsStrict }) { continue }
      if !property.fitsStrict, properties.contains(where: { $0.option == "STRICT" }) { continue }
      properties.append(property)
    }
    self.properties = properties
  }

  /// Each kind of key with all other properties, with those that old engines support, and with some of these, in a
  /// random order and choice with a fixed seed.
  static let few: [HairyCombination] = {
    var random = SeededGenerator(seed: 20_261_121)
    let old = HairyProperty.others.filter { $0.needs == 0 }
    return HairyProperty.keys.flatMap { key in
      [
        HairyCombination([key] + HairyProperty.others.shuffled(using: &random)),
        HairyCombination([key] + old.shuffled(using: &random)),
        HairyCombination([key] + old.shuffled(using: &random).prefix(5)),
      ]
    }
  }()

  /// Each kind of key with each pair of the other properties, if `c` is not the only column: otherwise no column could
  /// be dropped or reordered.
  static let pairs: [HairyCombination] = HairyProperty.keys.flatMap { key in
    HairyProperty.others.indices.flatMap { first in
      HairyProperty.others[(first + 1)...].map { HairyCombination([key, HairyProperty.others[first], $0]) }
    }
  }.filter { $0.properties.contains { !$0.columns.isEmpty } }

  var shape: HairyShape {
    var columns = properties.flatMap(\.columns)
    // The column that changes is in the middle if possible, and never first.
    columns.insert(("c INT", ["1", "2", "3"]), at: (columns.count + 1) / 2)
    let options = properties.compactMap(\.option)
    let table =
      "CREATE TABLE t(\((columns.map(\.definition) + properties.flatMap(\.constraints)).joined(separator: ", ")))"
      + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
    var given = columns.compactMap { column in column.values.map { (Self.name(column.definition), $0) } }
    let hasRowIDs = !options.contains("WITHOUT ROWID")
    if hasRowIDs, properties.allSatisfy(\.hidesRowIDs) { given.append(("rowid", ["-3", "40", "9000000000"])) }
    let rows = (0..<3).map { row in "(\(given.map { $0.1[row] }.joined(separator: ", ")))" }
    let insertion = "INSERT INTO t(\(given.map(\.0).joined(separator: ", "))) VALUES \(rows.joined(separator: ", "))"
    let statements = properties.map(\.before) + [table, insertion] + properties.map(\.after)
    return HairyShape(
      name: properties.map(\.name).joined(separator: " + "), needs: properties.map(\.needs).max() ?? 0,
      sql: statements.filter { !$0.isEmpty }.joined(separator: ";\n"))
  }

  /// Returns the name at the start of a definition.
  private static func name(_ definition: String) -> String {
    SQLSource(definition).tokens.first.map(\.text) ?? definition
  }
}
