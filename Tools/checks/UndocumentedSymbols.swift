import Foundation

/// The part of a symbol graph that this check reads (https://github.com/swiftlang/swift-docc-symbolkit).
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable {
      var identifier: String
      var displayName: String
    }

    struct Location: Decodable {
      struct Position: Decodable {
        var line: Int
        var character: Int
      }

      var uri: String
      var position: Position
    }

    struct Comment: Decodable {
      struct Line: Decodable {
        var text: String
      }

      var lines: [Line]
    }

    var kind: Kind
    var pathComponents: [String]
    var location: Location?
    var docComment: Comment?
  }

  var symbols: [Symbol]
}

extension SymbolGraph.Symbol {
  var isDocumented: Bool { docComment?.lines.contains { !$0.text.allSatisfy(\.isWhitespace) } ?? false }

  /// Returns the location and the symbol in the format of compiler errors; nil for a synthesized symbol, which has no
  /// location.
  func complaint(root: String) -> String? {
    // An extension of another module's type is not a symbol of this module, but its members are.
    guard kind.identifier != "swift.extension", let location, let path = URL(string: location.uri)?.path else {
      return nil
    }
    let shown = path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
    let (line, column) = (location.position.line + 1, location.position.character + 1)
    let name = pathComponents.joined(separator: ".")
    return "\(shown):\(line):\(column): error: \(kind.displayName.lowercased()) \(name) has no documentation comment"
  }
}

/// Prints the symbols without a documentation comment in symbol graphs, and fails if there are any.
///
/// Arguments: the package's folder, then the files.
@main
enum UndocumentedSymbols {
  static func main() throws {
    let root = CommandLine.arguments.dropFirst().first ?? "."
    var complaints: Set<String> = []
    var count = 0
    for file in CommandLine.arguments.dropFirst(2) {
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      let symbols = try JSONDecoder().decode(SymbolGraph.self, from: data).symbols
      count += symbols.count
      complaints.formUnion(symbols.filter { !$0.isDocumented }.compactMap { $0.complaint(root: root) })
    }
    guard complaints.isEmpty, count > 0 else {
      complaints.sorted().forEach { print($0) }
      print(count > 0 ? "\(complaints.count) symbols have no documentation comment" : "no symbol was found")
      exit(1)
    }
    print("\(count) symbols are documented")
  }
}
