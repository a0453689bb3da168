/// The manual page, made from the tables of commands and options, in the language of man(7).
struct ManualPage {
  let tool: MigratorTool

  /// The page; `man -l` shows it.
  var text: String {
    var lines = [
      ".TH \(Self.escaped(tool.name.uppercased())) 1 \"\" \"\(Self.escaped("\(tool.name) \(tool.version)"))\""
    ]
    lines += [".SH NAME", "\(Self.escaped(tool.name)) \\- applies database migrations, in order, once and only once"]
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
    // The heading begins a paragraph of its own.
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

  /// A line of text: a point or an apostrophe at its beginning would be a request (groff(7), "Control characters").
  private static func line(_ text: String) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// The text with what has a meaning in roff written out; a plain dash would become a typographic one.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("`", with: "\\(ga")
      .replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq")
  }
}
