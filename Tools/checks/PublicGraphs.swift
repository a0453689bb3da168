import Foundation

/// Copies the symbol graphs of libraries in the form that docc needs: each library in a separate folder, with public
/// symbols only, and with absolute links to symbols of other libraries.
///
/// For a library without public symbols, which only this package uses, copies its package symbols.
///
/// Arguments: the folder of the graphs, the folder to copy to, then the libraries' folders, each after those that it
/// links to. Fails when a library's catalog does not list a public type under a topic; docc would then sort the type by
/// kind.
///
/// In a documentation comment, `` ``DatabaseError`` `` is enough wherever the compiler would find that name. docc looks
/// only in the same library, and needs `` ``/Migrator/DatabaseError`` `` for a symbol of another one.
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
      let catalog = "\(libraryFolder)/\(name).docc/\(name).md"
      let topics = try String(contentsOfFile: catalog, encoding: .utf8)
      leftOut += library.types.sorted().filter { !topics.contains("- ``\($0)``\n") }
        .map { "\(catalog): error: ``\($0)`` is not under any topic" }
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

  /// Returns a line of a comment with absolute links to symbols of other libraries.
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

/// The symbols of one access level in a symbol graph (https://github.com/swiftlang/swift-docc-symbolkit).
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

  /// The types that the library declares.
  var types: [String] {
    symbols.compactMap { symbol in
      let path = symbol["pathComponents"] as? [String] ?? []
      let kind = (symbol["kind"] as? [String: Any])?["identifier"] as? String
      return path.count == 1 && kind != "swift.extension" ? path[0] : nil
    }
  }

  /// Returns the graph as JSON, with the lines of its comments changed.
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
  /// The library in the name of a graph's file: `Migrator` for `Migrator@Swift.symbols.json`.
  var library: String { String(lastPathComponent.prefix { $0 != "@" && $0 != "." }) }
}
