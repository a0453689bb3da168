/// The help, made from the tables of commands and options.
struct HelpText {
  /// The tool.
  let tool: MigratorTool
  /// The options of every command.
  let options: [OptionSpecification]
  /// The colours.
  let style: Style
  /// The columns of the terminal.
  let width: Int

  /// What the tool is, its commands and its options.
  var overview: String {
    var lines = ["\(tool.name): applies database migrations, in order, once and only once", ""]
    lines += ["Usage: \(tool.name) <command> [options]", "", style("Commands", .strong)]
    lines += definitions(tool.commands.map { (([$0.name] + $0.operands).joined(separator: " "), $0.summary) })
    lines += optionLines(options)
    lines += ["", "`\(tool.name) help COMMAND` says more of a command.", "", style("Exit codes", .strong)]
    lines += definitions([
      ("0", "done"), ("1", "a check failed, or something is pending under --check"), ("2", "wrong usage"),
      ("3", "the database cannot be opened: missing, not a database, wrong key, no permission, locked"),
      ("4", "a migration failed and was rolled back"), ("5", "refused for safety"),
      ("130", "interrupted, and rolled back"),
    ])
    return lines.joined(separator: "\n")
  }

  /// What a command does, and its options.
  func text(of command: ToolCommand) -> String {
    let words = [tool.name, command.name] + command.operands + ["[options]"]
    var lines = ["\(tool.name) \(command.name): \(command.summary)", "", "Usage: \(words.joined(separator: " "))"]
    for paragraph in command.details { lines += [""] + wrapped(paragraph, columns: columns) }
    lines += optionLines(command.options + options.filter { $0.group == .database })
    lines += ["", "`\(tool.name) help` lists the options of every command: keys, cipher settings, engines, output."]
    return lines.joined(separator: "\n")
  }

  /// Lines longer than this are hard to read.
  private var columns: Int { max(40, min(width, 100)) }

  private func optionLines(_ options: [OptionSpecification]) -> [String] {
    OptionSpecification.Group.allCases.flatMap { group in
      let members = options.filter { $0.group == group }
      guard !members.isEmpty else { return [String]() }
      let entries = members.map { option in
        let variable = option.environmentVariable.map { " [\($0)]" } ?? ""
        return (
          "--" + ([option.name] + [option.placeholder].compactMap(\.self)).joined(separator: " "),
          option.help + variable
        )
      }
      return ["", style(group.rawValue, .strong)] + definitions(entries)
    }
  }

  /// Terms in one column and their texts in another, wrapped.
  private func definitions(_ entries: [(term: String, text: String)]) -> [String] {
    let size = min(28, (entries.map(\.term.count).max() ?? 0) + 2)
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
