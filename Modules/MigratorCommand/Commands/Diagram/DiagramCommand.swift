internal import Migrator
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
    name: "format", placeholder: "mermaid|dot|svg", group: .command,
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
    let text = try self.text(of: diagram, format)
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

  /// What the end of a file's name says is to be in it.
  private static func format(ofFile path: String) -> String {
    let name = path.lowercased()
    if name.hasSuffix(".svg") { return "svg" }
    return name.hasSuffix(".dot") || name.hasSuffix(".gv") ? "dot" : "mermaid"
  }

  private func text(of diagram: Diagram, _ format: String) throws(ToolFailure) -> String {
    switch format {
    case "dot": diagram.dot
    case "svg": try Graphviz.svg(diagram.dot)
    default: diagram.mermaid
    }
  }

  private struct Report: Encodable {
    var source: String
    /// mermaid, dot or svg.
    var diagramFormat: String
    var tableCount: Int
    var foreignKeyCount: Int
    /// The file that was written; nil when there is none.
    var file: String?
    /// The diagram; nil when it is in a file.
    var diagram: String?
  }
}
