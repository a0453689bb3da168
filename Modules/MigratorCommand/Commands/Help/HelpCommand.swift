internal import Migrator

extension ToolCommand {
  static let help = ToolCommand(
    name: "help",
    operand: Operand(placeholder: "COMMAND", isOptional: true),
    summary: "describe a command; --man prints the manual page, --json-schema the form of the JSON output",
    details: [
      "Describes a command, with its options and examples; without a command, lists all commands and options.",
      "--man prints everything as a manual page, which `man -l` displays. --json-schema prints the JSON Schema of everything that the "
        + "commands print with --json.",
    ],
    examples: [Example("help migrate", "describe migrate"), Example("help --man | man -l -", "read the manual page")],
    options: [.man, .jsonSchema],
    usesDatabase: false
  ) { context throws(ToolFailure) in
    let help = HelpText(tool: context.tool, output: context.output)
    if context.arguments.contains(.jsonSchema) {
      context.output.document(OutputSchema(tool: context.tool))
      return .done
    }
    guard context.arguments.contains(.man) else {
      let topic = context.arguments.operands.first
      help.print(try topic.map { name throws(ToolFailure) in try context.tool.command(name) })
      return .done
    }
    help.print(ManualPage(tool: context.tool).text)
    return .done
  }
}

extension OptionSpecification {
  static let man = OptionSpecification(name: "man", help: "print the manual page, for man -l")
  static let jsonSchema = OptionSpecification(
    name: "json-schema", help: "print the JSON Schema of the output with --json")
}

/// The manual page in man(7) format, generated from the tables of commands and options.
struct ManualPage {
  let tool: MigratorTool

  var text: String {
    var lines = [
      ".TH \(Self.escaped(tool.name.uppercased())) 1 \"\" \"\(Self.escaped("\(tool.name) \(tool.version)"))\""
    ]
    lines += [".SH NAME", "\(Self.escaped(tool.name)) \\- applies database migrations in order, each exactly once"]
    lines += [".SH SYNOPSIS", ".B \(Self.escaped(tool.name))", ".I command", "[\\fIoptions\\fR]"]
    lines.append(".SH COMMANDS")
    for command in tool.commands { lines += section(of: command) }
    lines.append(".SH OPTIONS")
    for group in OptionSpecification.Group.allCases where group != .command {
      let members = tool.options.filter { $0.group == group }
      guard !members.isEmpty else { continue }
      lines.append(".SS \(Self.escaped(group.rawValue))")
      lines += members.flatMap(entry)
    }
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", Self.line(code.meaning)] }
    return lines.joined(separator: "\n")
  }

  private func section(of command: ToolCommand) -> [String] {
    var lines = [".SS \(Self.escaped(command.usage))"]
    // The heading macro already begins a paragraph.
    lines.append(Self.line(command.details.first ?? command.summary))
    for paragraph in command.details.dropFirst() { lines += [".PP", Self.line(paragraph)] }
    lines += command.options.flatMap(entry)
    for example in command.examples {
      lines += [".PP", Self.line(example.note.prefix(1).uppercased() + example.note.dropFirst() + ":")]
      lines += [".PP", ".nf", Self.line("    \(tool.name) \(example.line)"), ".fi"]
    }
    return lines
  }

  private func entry(_ option: OptionSpecification) -> [String] {
    let value = option.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
    return [".TP", "\\fB\(Self.escaped("--" + option.name))\\fR\(value)", Self.line(option.helpWithVariable)]
  }

  /// Returns a line of text for the manual page.
  ///
  /// Escapes a period or an apostrophe at the start of the line, since roff would treat the line as a request
  /// (groff(7), "Control characters").
  private static func line(_ text: String) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// Escapes the characters with a special meaning in roff, and hyphens, which would become typographic hyphens.
  private static func escaped(_ text: String) -> String {
    text.escaping(["\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "\"": "\\(dq"])
  }
}
