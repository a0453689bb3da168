/// The columns of a picture in which tables stand: each to the right of those that it refers to, and no column much
/// longer than the picture is wide.
struct DiagramRanks {
  /// The column of each table, from 0, by its place among ``Diagram/tables``.
  private(set) var list: [Int]
  /// The tables that no foreign key connects, in rows.
  private(set) var rows: [[Int]] = []

  private var counts: [Int: Int] = [:]

  /// Tables are about half as high again as they are wide with the room for lines, and pictures wider than high.
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

  /// Places tables after those that they refer to; where these go round in a circle, the first one begins.
  private mutating func place(_ tables: Set<Int>, _ references: [Diagram.Reference]) {
    var left = tables.sorted()
    var placed: Set<Int> = []
    let parents = Dictionary(grouping: references, by: \.child).mapValues { $0.map(\.parent) }
    while !left.isEmpty {
      let next =
        left.firstIndex { table in parents[table, default: []].allSatisfy(placed.contains) } ?? left.startIndex
      let table = left.remove(at: next)
      var rank = (parents[table, default: []].filter(placed.contains).map { list[$0] }.max() ?? -1) + 1
      while counts[rank, default: 0] >= limit { rank += 1 }
      counts[rank, default: 0] += 1
      list[table] = rank
      placed.insert(table)
    }
  }
}
