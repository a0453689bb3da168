internal import SQLMigrations

extension ToolCommand {
  static let diagram = ToolCommand(
    name: "diagram",
    summary: "draw the tables and how they refer to each other",
    details: [
      "Prints an entity-relationship picture of the database, or of what the migrations make: tables with their columns, types and "
        + "keys, and a crow's foot for each foreign key. Tables that virtual tables keep for themselves are left out. Equal schemas give "
        + "equal pictures.",
      "mermaid is shown by GitHub, GitLab and many editors inside a Markdown file; dot is for Graphviz; svg is a picture that needs no "
        + "other file, and is laid out by Graphviz, which must be installed.",
      "With --output it goes to a file. One that is no such picture is not overwritten unless --yes is given.",
    ],
    examples: [
      Example("diagram --database app.sqlite", "Mermaid, for a Markdown file"),
      Example("diagram --from migrations --output schema.svg", "a picture of what the migrations make"),
    ],
    options: [.diagramFormat, .from, .output]
  ) { context throws(ToolFailure) in try DiagramCommand(context: context).run() }
}

extension OptionSpecification {
  static let diagramFormat = OptionSpecification(
    name: "format", placeholder: "mermaid|dot|svg",
    help: "what is drawn; when absent, what the end of FILE says, else mermaid",
    allowedValues: ["mermaid", "dot", "svg"])
}

struct DiagramCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let named = try SchemaReader(context).readRequested()
    let diagram = Diagram(named.schema)
    let path = context.arguments.value(of: .output)
    let format = context.arguments.value(of: .diagramFormat) ?? path.map(Self.format) ?? "mermaid"
    let text =
      switch format {
      case "dot": diagram.dot
      case "svg": try Graphviz.svg(diagram.dot)
      default: diagram.mermaid
      }
    if let path {
      try ResultFile(path: path, command: context.command, isResult: Diagram.isDiagram)
        .write(text, overwritesOthers: context.arguments.contains(.yes))
      context.output.line(
        "\(counted(diagram.tables.count, "table")) and \(counted(diagram.references.count, "foreign key")) of \(named.name) "
          + "are drawn in \(path)")
    } else {
      context.output.result(String(text.dropLast()))
    }
    context.json(
      Report(
        source: named.name, diagramFormat: format, tableCount: diagram.tables.count,
        foreignKeyCount: diagram.references.count, file: path, diagram: path == nil ? text : nil))
    return .done
  }

  private static func format(ofFile path: String) -> String {
    let name = path.lowercased()
    if name.hasSuffix(".svg") { return "svg" }
    return name.hasSuffix(".dot") || name.hasSuffix(".gv") ? "dot" : "mermaid"
  }

  private struct Report: Encodable {
    var source: String
    var diagramFormat: String
    var tableCount: Int
    var foreignKeyCount: Int
    var file: String?
    var diagram: String?
  }
}

/// Graphviz, the program that lays out pictures of graphs (https://graphviz.org).
enum Graphviz {
  /// The picture of a graph; throws a failure of wrong usage when Graphviz is not installed, or fails.
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
      let words = outcome.errors.trimmingWhitespace
      throw .usage(
        "Graphviz failed", why: words.isEmpty ? "it ended with \(outcome.status)" : words,
        remedy: "Use --format dot, and look at the graph.")
    }
    // Left out are the version of Graphviz and the address of a document type, which viewers would fetch.
    let body = String(outcome.output[start.lowerBound...])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + body.replacing(/(?s)<!--.*?-->\n*/, with: "")
  }
}
