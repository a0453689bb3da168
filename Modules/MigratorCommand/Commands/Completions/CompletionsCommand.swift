extension ToolCommand {
  static let completions = ToolCommand(
    name: "completions",
    operand: Operand(placeholder: "SHELL", words: CompletionScript.Shell.allCases.map(\.rawValue)),
    summary: "print completions for bash, zsh or fish",
    details: [
      "Prints a script by which the shell completes commands, options, and the values of options that take one of a few words, a "
        + "file or a folder.",
      "For bash and zsh, load it when the shell starts; for fish, keep it where fish looks for completions.",
    ],
    examples: [
      Example(
        "completions bash >~/.local/share/bash-completion/completions/migrator", "for bash, with its completion package"
      ),
      Example("completions zsh >\"${fpath[1]}/_migrator\"", "for zsh, in a folder of its fpath, before compinit"),
      Example("completions fish >~/.config/fish/completions/migrator.fish", "for fish"),
    ],
    usesDatabase: false
  ) { context throws(ToolFailure) in
    guard let word = context.arguments.operands.first, let shell = CompletionScript.Shell(rawValue: word) else {
      throw .usage(
        "no shell is named", remedy: "Write `\(context.toolName) completions bash`, or zsh, or fish.")
    }
    let text = CompletionScript(tool: context.tool).text(for: shell)
    context.output.result(text)
    context.json(["shell": word, "script": text])
    return .done
  }
}
