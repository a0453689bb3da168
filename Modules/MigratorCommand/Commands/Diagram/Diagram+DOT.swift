internal import Migrator

extension Diagram {
  /// The diagram for Graphviz (https://graphviz.org/doc/info/shapes.html#html), in shades of gray for light and dark
  /// backgrounds.
  var dot: String {
    var lines = [
      "digraph schema {",
      "  graph [rankdir=LR, bgcolor=transparent, nodesep=\(isLarge ? 0.12 : 0.35), ranksep=0.9, pad=0.3, splines=spline];",
      "  node [shape=plain, fontname=\"\(Self.font)\", fontsize=11, fontcolor=\"\(Palette.text)\"];",
      "  edge [color=\"\(Palette.line)\", penwidth=1.2, arrowsize=0.8, dir=both];",
    ]
    for (place, table) in tables.enumerated() {
      lines.append("  t\(place) [label=<")
      lines += Self.label(table).map { "    " + $0 }
      lines.append("  >];")
    }
    let ranks = DiagramRanks(self)
    lines += references.map { line($0, ranks) }
    lines += ranks.rows.filter { $0.count > 1 }.map { row in
      // Without these edges, Graphviz would place all unconnected tables in one column.
      "  \(row.map { "t\($0)" }.joined(separator: " -> ")) [style=invis];"
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private var isLarge: Bool { tables.count > 12 }

  private static let font = "Helvetica,Arial,sans-serif"

  private enum Palette {
    static let text = "#1f2937"
    static let faint = "#6b7280"
    static let line = "#8591a3"
    static let head = "#33527a"
    static let virtualHead = "#5b4a86"
    static let headText = "#ffffff"
    static let ground = "#ffffff"
    static let keyGround = "#eef3fa"
    static let key = "#9a6700"
    static let foreign = "#2563a8"
  }

  // MARK: Tables

  private static func label(_ table: Table) -> [String] {
    let head = table.module == nil ? Palette.head : Palette.virtualHead
    let module = table.module.map { " <font point-size=\"9\">\(escaped($0))</font>" } ?? ""
    var lines = [
      "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\" bgcolor=\"\(Palette.ground)\">",
      "<tr><td><table border=\"1\" color=\"\(Palette.line)\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\">",
      "<tr><td colspan=\"4\" bgcolor=\"\(head)\"><font color=\"\(Palette.headText)\"><b>\(escaped(table.name))</b>\(module)</font></td></tr>",
    ]
    lines += table.columns.enumerated().map { row($1, $0) }
    return lines + ["</table></td></tr></table>"]
  }

  private static func row(_ column: Column, _ place: Int) -> String {
    let ground = column.isPrimaryKey ? " bgcolor=\"\(Palette.keyGround)\"" : ""
    let name = escaped(column.name)
    let color = column.isPrimaryKey ? Palette.key : Palette.foreign
    let marks =
      column.marks.isEmpty
      ? " " : "<font color=\"\(color)\" point-size=\"9\"><b>\(column.marks.joined(separator: " "))</b></font>"
    let type = column.type.isEmpty ? " " : escaped(column.type)
    return
      "<tr><td\(ground) align=\"left\" port=\"l\(place)\">\(marks)</td>"
      + "<td\(ground) align=\"left\">\(column.isPrimaryKey ? "<b>\(name)</b>" : name)</td>"
      + "<td\(ground) align=\"left\"><font color=\"\(Palette.faint)\">\(type)</font></td>"
      + "<td\(ground) align=\"right\" port=\"r\(place)\"><font color=\"\(Palette.faint)\" point-size=\"9\">"
      + "\(column.isNullable ? "null" : " ")</font></td></tr>"
  }

  // MARK: Edges

  /// Returns the edge for a reference: at the child table, a crow's foot with a ring (zero or many); at the parent
  /// table, two bars (exactly one) or a bar and a ring (zero or one).
  private func line(_ reference: Reference, _ ranks: DiagramRanks) -> String {
    // Edges lead from parent to child, which puts parents on the left; an edge from a table to itself uses one side.
    let from = port(reference.parent, reference.parentColumns.first, side: "r")
    let to = port(reference.child, reference.columns.first, side: reference.child == reference.parent ? "r" : "l")
    let length = ranks.list[reference.child] - ranks.list[reference.parent]
    var attributes = ["arrowtail=\(reference.isOptional ? "teeodot" : "teetee")"]
    attributes.append("arrowhead=\(reference.isUnique ? "teeodot" : "crowodot")")
    if length > 1 { attributes.append("minlen=\(length)") }
    // Straight edges would push the tables of a large diagram apart.
    if isLarge { attributes.append("weight=0") }
    if length < 1, reference.child != reference.parent { attributes.append("constraint=false") }
    return "  \(from) -> \(to) [\(attributes.joined(separator: ", "))];"
  }

  private func port(_ table: Int, _ column: String?, side: String) -> String {
    let place = column.flatMap { column in
      tables[table].columns.firstIndex { $0.name.lowercased() == column.lowercased() }
    }
    return place.map { "t\(table):\(side)\($0):\(side == "r" ? "e" : "w")" } ?? "t\(table)"
  }

  private static func escaped(_ text: String) -> String {
    // An empty element is a syntax error.
    text.isEmpty ? " " : text.oneLine.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
  }
}

/// The layout of tables in columns: each table is to the right of its parents, and no column is much taller than the
/// diagram is wide.
struct DiagramRanks {
  /// The layout column of each table, from 0, in the order of ``Diagram/tables``.
  private(set) var list: [Int]
  /// The layout rows of the tables without foreign keys from or to other tables, as indexes in ``Diagram/tables``.
  private(set) var rows: [[Int]] = []

  private var counts: [Int: Int] = [:]
  /// The maximum number of tables in a column of the layout.
  ///
  /// With space for edges, a table is about 1.5 times as tall as it is wide.
  private let limit: Int

  init(_ diagram: Diagram) {
    let count = diagram.tables.count
    limit = max(4, Int((Double(count) * 0.55).squareRoot().rounded(.up)))
    list = Array(repeating: 0, count: count)
    let references = diagram.references.filter { $0.child != $0.parent }
    let connected = Set(references.flatMap { [$0.child, $0.parent] })
    place(connected, references)
    let alone = diagram.tables.indices.filter { !connected.contains($0) }
    let width = max(limit, (list.max() ?? 0) + 1)
    rows = stride(from: 0, to: alone.count, by: width).map { Array(alone[$0..<min($0 + width, alone.count)]) }
  }

  /// Places each table after its parents; of tables in a cycle, the first one is placed first.
  private mutating func place(_ tables: Set<Int>, _ references: [Diagram.Reference]) {
    var left = tables.sorted()
    var placed: Set<Int> = []
    let parents = Dictionary(grouping: references, by: \.child).mapValues { $0.map(\.parent) }
    while !left.isEmpty {
      let next = left.firstIndex { placed.isSuperset(of: parents[$0, default: []]) } ?? left.startIndex
      let table = left.remove(at: next)
      var rank = (parents[table, default: []].filter(placed.contains).map { list[$0] }.max() ?? -1) + 1
      while counts[rank, default: 0] >= limit { rank += 1 }
      counts[rank, default: 0] += 1
      list[table] = rank
      placed.insert(table)
    }
  }
}
