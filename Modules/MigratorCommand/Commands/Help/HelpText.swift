struct HelpText {
  let tool: MigratorTool
  let output: Output

  func print(_ command: ToolCommand?) { print(command.map(text) ?? overview, topic: command?.name) }

  func print(_ text: String, topic: String? = nil) {
    output.result(text, isStyled: true)
    let commands = topic == nil ? tool.commands.map { ["name": $0.name, "summary": $0.summary] } : nil
    output.json(Report(topic: topic, text: text, commands: commands), of: "help")
  }

  private struct Report: Encodable {
    /// The command to explain; nil for an overview of all commands.
    var topic: String?
    var text: String
    var commands: [[String: String]]?
  }

  /// The list of commands that is printed when the user types only the tool's name; it fits on one screen.
  var commandList: String {
    let rest =
      "`\(tool.name) help COMMAND` describes a command, with examples; `\(tool.name) help` lists the common options."
    return (commandLines + [""] + wrapped(rest, columns: columns)).joined(separator: "\n")
  }

  private var overview: String {
    var lines = commandLines + optionLines(tool.options)
    lines += [""] + wrapped("`\(tool.name) help COMMAND` describes a command.", columns: columns)
    lines += ["", style("Exit codes", .strong)]
    lines += definitions(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    return lines.joined(separator: "\n")
  }

  private func text(of command: ToolCommand) -> String {
    var lines = wrapped("\(tool.name) \(command.name): \(command.summary)", columns: columns) + [""]
    lines.append("Usage: \(tool.name) \(command.usage) [options]")
    for paragraph in command.details { lines += [""] + wrapped(paragraph, columns: columns) }
    lines += optionLines(command.options + tool.options.filter { command.usesDatabase || $0.group == .output })
    if !command.examples.isEmpty {
      lines += ["", style("Examples", .strong)]
      for example in command.examples {
        lines += wrapped(example.note, columns: columns - 4).map { "  # " + $0 }
        lines.append("  \(tool.name) \(example.line)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private var commandLines: [String] {
    let summary = "\(tool.name): applies database migrations in order, each exactly once"
    return wrapped(summary, columns: columns) + ["", "Usage: \(tool.name) <command> [options]", ""]
      + [style("Commands", .strong)] + definitions(tool.commands.map { ($0.usage, $0.summary) })
  }

  /// The maximum line length: longer lines are hard to read.
  private var columns: Int { max(36, min(output.environment.width, 100)) }

  /// Styles a text for the terminal; JSON output is never styled.
  private func style(_ text: String, _ role: Style.Role) -> String { output.isJSON ? text : output.style(text, role) }

  private func optionLines(_ options: [OptionSpecification]) -> [String] {
    OptionSpecification.Group.allCases.flatMap { group in
      let members = options.filter { $0.group == group }
      guard !members.isEmpty else { return [String]() }
      return ["", style(group.rawValue, .strong)] + definitions(members.map { ($0.usage, $0.helpWithVariable) })
    }
  }

  /// Formats terms and their wrapped descriptions in two columns, or one below the other if the terminal is narrow.
  private func definitions(_ entries: [(term: String, text: String)]) -> [String] {
    let size = min(28, columns * 3 / 8, (entries.map(\.term.count).max() ?? 0) + 2)
    let indentation = String(repeating: " ", count: size + 2)
    return entries.flatMap { entry in
      var texts = wrapped(entry.text, columns: columns - indentation.count)
      let term = "  " + entry.term
      guard entry.term.count + 2 <= size else { return [term] + texts.map { indentation + $0 } }
      let first = texts.removeFirst()
      return [term + String(repeating: " ", count: indentation.count - term.count) + first]
        + texts.map { indentation + $0 }
    }
  }
}
