internal import SQLMigrations

/// Graphviz, the program that lays out pictures of graphs (https://graphviz.org).
enum Graphviz {
  /// The picture of a graph.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when Graphviz is not installed, or fails.
  static func svg(_ graph: String) throws(ToolFailure) -> String {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try ChildProcess.run(["dot", "-Tsvg"], input: graph)
    } catch  where error.isMissing {
      throw .usage(
        "Graphviz is not installed, and --format svg needs it", why: "there is no program `dot` in PATH",
        remedy:
          "Install it (apt install graphviz, brew install graphviz), or use --format mermaid or dot, which need nothing."
      )
    } catch {
      throw .usage("Graphviz cannot be run", why: error.reason, remedy: "Try `dot -V` in the shell.")
    }
    guard outcome.status == 0, let start = outcome.output.firstRange(of: "<svg") else {
      let words = outcome.errors.trimmingBlanks
      throw .usage(
        "Graphviz failed", why: words.isEmpty ? "it ended with \(outcome.status)" : words,
        remedy: "Use --format dot, and look at the graph.")
    }
    // Left out are the version of Graphviz and the address of a document type, which viewers would fetch.
    let body = String(outcome.output[start.lowerBound...])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + withoutComments(body)
  }

  private static func withoutComments(_ text: String) -> String {
    var rest = text[...]
    var result = ""
    while let start = rest.firstRange(of: "<!--"), let end = rest[start.upperBound...].firstRange(of: "-->") {
      result += rest[..<start.lowerBound]
      rest = rest[end.upperBound...].drop { $0.isNewline }
    }
    return result + rest
  }
}
