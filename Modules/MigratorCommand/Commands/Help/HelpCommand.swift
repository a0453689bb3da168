extension ToolCommand {
  static let help = ToolCommand(
    name: "help",
    operand: Operand(placeholder: "COMMAND", isOptional: true),
    summary: "say more of a command; --man prints the manual page",
    details: [
      "Says what a command does, with its options and examples; without a command, lists them all.",
      "--man prints the whole as a manual page, which `man -l` shows.",
    ],
    examples: [
      Example("help migrate", "what migrate does"),
      Example("help --man | man -l -", "read the manual page"),
    ],
    options: [.man],
    usesDatabase: false
  ) { context throws(ToolFailure) in try HelpCommand(context: context).run() }
}

extension OptionSpecification {
  static let man = OptionSpecification(name: "man", group: .command, help: "print the manual page, for man -l")
}

struct HelpCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let output = context.output
    let topic = context.arguments.operands.first
    if context.arguments.contains(.man) {
      if let topic {
        throw .usage(
          "`help --man` does not take \"\(topic)\"",
          remedy: "Leave it out: the manual page holds all commands.")
      }
      let page = ManualPage(tool: context.tool).text
      output.result(page)
      output.json(HelpReport(context.tool, topic: nil, text: page), of: "help")
      return .done
    }
    let help = HelpText(tool: context.tool, output)
    help.print(try topic.map { name throws(ToolFailure) in try context.tool.command(name) }, on: output)
    return .done
  }
}
