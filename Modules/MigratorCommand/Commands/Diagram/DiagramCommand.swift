internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let diagram = ToolCommand(
    name: "diagram",
    summary: "draw the tables and their foreign keys",
    details: [
      "Prints an entity-relationship diagram of the database, or of the schema that the migrations create: tables with their "
        + "columns, types and keys, and a crow's foot for each foreign key. Omits the shadow tables of virtual tables. Equal "
        + "schemas give equal diagrams.",
      "GitHub, GitLab and many editors display mermaid inside a Markdown file; dot is for Graphviz; svg is a self-contained image, "
        + "for which Graphviz must be installed.",
      "With --output, writes the diagram to a file; overwrites a file that is not a diagram only with --yes.",
    ],
    examples: [
      Example("diagram --database app.sqlite", "Mermaid, for a Markdown file"),
      Example("diagram --from migrations --output schema.svg", "an image of the schema that the migrations create"),
    ],
    options: [.diagramFormat, .from, .output]
  ) { context throws(ToolFailure) in try DiagramCommand(context: context).run() }
}

extension OptionSpecification {
  static let diagramFormat = OptionSpecification(
    name: "format", placeholder: "mermaid|dot|svg",
    help: "the format; by default from the extension of FILE, otherwise mermaid",
    allowedValues: ["mermaid", "dot", "svg"])
}

struct DiagramCommand {
  let context: CommandContext

  /// The extensions of files that a program would not open as any of the formats.
  private static let otherExtensions = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"]

  func run() throws(ToolFailure) -> ExitCode {
    if let path = context.arguments.value(of: .output),
      Self.otherExtensions.contains(where: path.lowercased().hasSuffix)
    {
      throw .usage(
        "`diagram` cannot write the format of \(path)",
        remedy:
          "Write an .svg, .dot or .md file: --format is svg, dot or mermaid. Graphviz converts DOT to other formats.")
    }
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
      try ResultFile(path: path, command: context.command, isResult: Diagram.isDiagram, database: named.database)
        .write(text, overwritesOthers: context.arguments.contains(.yes))
      context.output.line(
        "Wrote \(counted(diagram.tables.count, "table")) and \(counted(diagram.references.count, "foreign key")) of "
          + "\(named.name) to \(path)")
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

/// Graphviz, the program that lays out graphs (https://graphviz.org).
enum Graphviz {
  /// Converts a graph to SVG; throws a usage failure if Graphviz is not installed, or fails.
  static func svg(_ graph: String) throws(ToolFailure) -> String {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try ChildProcess.run(["dot", "-Tsvg"], input: graph)
    } catch  where error.isMissing {
      throw .usage(
        "Graphviz is not installed, and --format svg needs it", why: "PATH has no `dot` program",
        remedy:
          "Install it (apt install graphviz, brew install graphviz), or use --format mermaid or dot, which do not need it."
      )
    } catch {
      throw .usage("Graphviz cannot be run", why: error.reason, remedy: "Run `dot -V` in a shell to see the error.")
    }
    guard outcome.status == 0, let start = outcome.output.firstRange(of: "<svg") else {
      let message = outcome.errors.trimmingWhitespace
      throw .usage(
        "Graphviz failed", why: message.isEmpty ? "it exited with \(outcome.status)" : message,
        remedy: "Use --format dot to see the graph that it was given.")
    }
    // Removes the version of Graphviz, and the document type, whose URL viewers would fetch.
    let body = String(outcome.output[start.lowerBound...])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + body.replacing(/(?s)<!--.*?-->\n*/, with: "")
  }
}
