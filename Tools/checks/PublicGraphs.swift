import Foundation

/// Copies the symbol graphs of libraries as docc wants them: each library's in a folder of its own, without what is not
/// public, and with links to other libraries' symbols in docc's absolute form.
///
/// A library without anything public, which only the package's own code uses, keeps what is visible in the package.
///
/// Arguments: the folder of the graphs, the folder to copy to, then the libraries' folders, each behind those that it links
/// to. Fails when a library's catalogue leaves a public type out of its topics, which docc would sort by kind then.
///
/// In a documentation comment `` ``DatabaseError`` `` says enough wherever the compiler would find that name; docc looks
/// in the library alone, and for another one's symbol wants `` ``/Migrator/DatabaseError`` ``.
@main
enum PublicGraphs {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let (source, target) = (URL(fileURLWithPath: arguments[1]), URL(fileURLWithPath: arguments[2]))
    let files = try FileManager.default.contentsOfDirectory(at: source, includingPropertiesForKeys: nil)
    var libraries: [Library] = []
    var leftOut: [String] = []
    for libraryFolder in arguments.dropFirst(2) {
      let name = URL(fileURLWithPath: libraryFolder).lastPathComponent
      let own = files.filter { $0.lastPathComponent.hasSuffix(".symbols.json") && $0.library == name }
      var graphs = try own.map { file in try Graph(file, of: "public") }
      let isPublic = graphs.contains { !$0.isEmpty }
      if !isPublic { graphs = try own.map { file in try Graph(file, of: "package") } }
      guard !graphs.isEmpty else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
      let library = Library(name: name, graphs: graphs)
      let folder = target.appending(path: name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for graph in graphs {
        try graph.data { text in library.qualifyingLinks(of: text, to: libraries) }
          .write(to: folder.appending(path: graph.fileName))
      }
      libraries.append(library)
      guard isPublic else { continue }
      let catalogue = "\(libraryFolder)/\(name).docc/\(name).md"
      let topics = try String(contentsOfFile: catalogue, encoding: .utf8)
      leftOut += library.types.sorted().filter { !topics.contains("- ``\($0)``\n") }
        .map { "\(catalogue): error: ``\($0)`` is under no topic" }
    }
    guard leftOut.isEmpty else {
      leftOut.forEach { print($0) }
      exit(1)
    }
  }
}

/// A library with its own symbols.
struct Library {
  let name: String
  let types: Set<String>

  init(name: String, graphs: [Graph]) {
    self.name = name
    types = Set(graphs.flatMap(\.types))
  }

  /// A line of a comment, with its links to symbols of the other libraries in their absolute form.
  func qualifyingLinks(of line: String, to others: [Library]) -> String {
    line.replacing(/``(\w+)([^`]*)``/) { match in
      let type = String(match.output.1)
      guard !types.contains(type), let other = others.first(where: { $0.types.contains(type) }) else {
        return String(match.output.0)
      }
      return "``/\(other.name)/\(type)\(match.output.2)``"
    }
  }
}

/// A symbol graph (https://github.com/swiftlang/swift-docc-symbolkit), its part of one access level.
struct Graph {
  let fileName: String
  private var root: [String: Any]
  private var symbols: [[String: Any]]

  var isEmpty: Bool { symbols.isEmpty }

  init(_ file: URL, of level: String) throws {
    fileName = file.lastPathComponent
    root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    let all = root["symbols"] as? [[String: Any]] ?? []
    symbols = all.filter { $0["accessLevel"] as? String == level }
    let hidden = Set(all.filter { $0["accessLevel"] as? String != level }.compactMap(Self.identifier))
    let relationships = root["relationships"] as? [[String: Any]] ?? []
    root["relationships"] = relationships.filter { relationship in
      ["source", "target"].allSatisfy { !hidden.contains(relationship[$0] as? String ?? "") }
    }
  }

  /// The types that the library itself declares.
  var types: [String] {
    symbols.compactMap { symbol in
      let path = symbol["pathComponents"] as? [String] ?? []
      let kind = (symbol["kind"] as? [String: Any])?["identifier"] as? String
      return path.count == 1 && kind != "swift.extension" ? path[0] : nil
    }
  }

  /// The graph as it is written, the lines of its comments changed.
  func data(changingComments change: (String) -> String) throws -> Data {
    var graph = root
    graph["symbols"] = symbols.map { symbol in
      guard var comment = symbol["docComment"] as? [String: Any], let lines = comment["lines"] as? [[String: Any]]
      else { return symbol }
      comment["lines"] = lines.map { line in line.merging(["text": change(line["text"] as? String ?? "")]) { $1 } }
      return symbol.merging(["docComment": comment]) { $1 }
    }
    return try JSONSerialization.data(withJSONObject: graph)
  }

  private static func identifier(_ symbol: [String: Any]) -> String? {
    (symbol["identifier"] as? [String: Any])?["precise"] as? String
  }
}

extension URL {
  /// The library that a graph's file is named after: `Migrator` for `Migrator@Swift.symbols.json`.
  var library: String { String(lastPathComponent.prefix { $0 != "@" && $0 != "." }) }
}
