internal import Migrator

extension ToolCommand {
  static let completions = ToolCommand(
    name: "completions",
    operand: Operand(placeholder: "SHELL", words: CompletionScript.Shell.allCases.map(\.rawValue)),
    summary: "print completions for bash, zsh or fish",
    details: [
      "Prints a script that lets the shell complete commands, options, and option values that are keywords, files or folders.",
      "For bash and zsh, load it when the shell starts; for fish, save it in the folder of fish's completions.",
    ],
    examples: [
      Example(
        "completions bash >~/.local/share/bash-completion/completions/migrator",
        "for bash, with the bash-completion package"
      ),
      Example("completions zsh >\"${fpath[1]}/_migrator\"", "for zsh, in a folder of its fpath, before compinit runs"),
      Example("completions fish >~/.config/fish/completions/migrator.fish", "for fish"),
    ],
    usesDatabase: false
  ) { context throws(ToolFailure) in
    guard let word = context.arguments.operands.first, let shell = CompletionScript.Shell(rawValue: word) else {
      throw .usage("no shell was given", remedy: "Write `\(context.toolName) completions bash`, or zsh, or fish.")
    }
    let script = CompletionScript(tool: context.tool)
    let text =
      switch shell {
      case .bash: script.bash
      case .zsh: script.zsh
      case .fish: script.fish
      }
    context.output.result(text)
    context.json(["shell": word, "script": text])
    return .done
  }
}

struct CompletionScript {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  let tool: MigratorTool

  private var function: String { "_" + String(tool.name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }

  /// Returns the words with which a command's operand can be completed; empty if the operand can be any text.
  private func words(of command: ToolCommand) -> [String] {
    command.name == "help" ? tool.commands.map(\.name) : command.operand?.words ?? []
  }

  // MARK: bash

  /// The completion script for bash (https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html).
  var bash: String {
    // Options of two commands may have one name, and different values.
    let lists = [("*", tool.options)] + tool.commands.map { ($0.name, $0.options) }
    let valued = lists.flatMap { command, options in options.filter(\.takesValue).map { (command, $0) } }
    let values = valued.map { "      \($0)' --\($1.name)') \(bashReply(of: $1)); return ;;" }
    let files = tool.commands.filter { $0.operand?.isFile ?? false }.map { command in
      "      \(command.name)) [[ $current == -* ]] || { \(bashFiles); return; } ;;"
    }
    let commands = tool.commands.map { command in
      "      \(command.name)) words=\"\(words(of: command).joined(separator: " "))\" "
        + "options=\"\(command.options.map { "--" + $0.name }.joined(separator: " "))\" ;;"
    }
    return """
      # bash completion for \(tool.name)
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= options= word i
        local IFS=$' \\t\\n'
        COMPREPLY=()
        # "--name=value" arrives as three words.
        [[ $current == = ]] && current=
        [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
        [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && previous=${COMP_WORDS[COMP_CWORD-1]}
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          case $word in
            \(Set(valued.map { "--" + $1.name }).sorted().joined(separator: "|"))) i=$((i + 1)) ;;
            -*) ;;
            *) command=$word; break ;;
          esac
        done
        case "$command $previous" in
      \(values.joined(separator: "\n"))
        esac
        case $command in
      \(files.joined(separator: "\n"))
        esac
        case $command in
          '') words="\(tool.commands.map(\.name).joined(separator: " "))" ;;
      \(commands.joined(separator: "\n"))
        esac
        if [[ $current == -* ]]; then
          words="$options \(tool.options.map { "--" + $0.name }.joined(separator: " "))"
        fi
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      complete -o filenames -F \(function) \(tool.name)
      """
  }

  private func bashReply(of option: OptionSpecification) -> String {
    switch option.completion {
    case _ where !option.allowedValues.isEmpty:
      "COMPREPLY=($(compgen -W \"\(option.allowedValues.joined(separator: " "))\" -- \"$current\"))"
    case .nothing: "COMPREPLY=()"
    case .file: bashFiles
    case .folder: "IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$current\"))"
    case .variable: "COMPREPLY=($(compgen -e -- \"$current\"))"
    }
  }

  private var bashFiles: String { "IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$current\"))" }

  // MARK: zsh

  /// The completion script for zsh (https://zsh.sourceforge.io/Doc/Release/Completion-System.html).
  var zsh: String {
    let commands = tool.commands.map { "    '\(Self.zshText($0.name)):\(Self.zshText($0.summary))'" }
    let cases = tool.commands.map { command in
      var operand = words(of: command).isEmpty ? [] : ["'*:word:(\(words(of: command).joined(separator: " ")))'"]
      if command.operand?.isFile ?? false { operand = ["'*:file:_files'"] }
      let parts = command.options.map(zshSpecification) + operand
      return "    \(command.name)) _arguments -s \(parts.map { $0 + " " }.joined())$shared && return ;;"
    }
    return """
      #compdef \(tool.name)
      # zsh completion for \(tool.name)
      \(function)() {
        local curcontext=$curcontext state line
        local -a commands shared
        typeset -A opt_args
        commands=(
      \(commands.joined(separator: "\n"))
        )
        shared=(
          \(tool.options.map(zshSpecification).joined(separator: "\n    "))
        )
        _arguments -C $shared '1:command:->command' '*::word:->word' && return
        case $state in
          command) _describe 'command' commands && return ;;
        esac
        case $line[1] in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == \(function) ]]; then
        \(function) "$@"
      else
        compdef \(function) \(tool.name)
      fi
      """
  }

  private func zshSpecification(_ option: OptionSpecification) -> String {
    let head = "--\(option.name)"
    guard let placeholder = option.placeholder else { return "'\(head)[\(Self.zshText(option.help))]'" }
    let action =
      switch option.completion {
      case _ where !option.allowedValues.isEmpty: "(\(option.allowedValues.joined(separator: " ")))"
      case .nothing: " "
      case .file: "_files"
      case .folder: "_files -/"
      case .variable: "_parameters"
      }
    return "'\(head)=[\(Self.zshText(option.help))]:\(Self.zshText(placeholder)):\(action)'"
  }

  private static func zshText(_ text: String) -> String {
    text.escaping(["'": "'\\''", ":": "\\:", "[": "\\[", "]": "\\]"])
  }

  // MARK: fish

  /// The completion script for fish (https://fishshell.com/docs/current/completions.html).
  var fish: String {
    let names = tool.commands.map(\.name).joined(separator: " ")
    var lines = ["# fish completion for \(tool.name)", "complete -c \(tool.name) -f"]
    for command in tool.commands {
      lines.append(
        "complete -c \(tool.name) -n 'not __fish_seen_subcommand_from \(names)' -a \(command.name) "
          + "-d '\(Self.fishText(command.summary))'")
    }
    for command in tool.commands {
      let condition = " -n '__fish_seen_subcommand_from \(command.name)'"
      if !words(of: command).isEmpty {
        lines.append("complete -c \(tool.name)\(condition) -a '\(words(of: command).joined(separator: " "))'")
      }
      if command.operand?.isFile ?? false { lines.append("complete -c \(tool.name)\(condition) -F") }
      lines += command.options.map { fishLine($0, condition) }
    }
    lines += tool.options.map { fishLine($0, "") }
    return lines.joined(separator: "\n")
  }

  private func fishLine(_ option: OptionSpecification, _ condition: String) -> String {
    let value =
      switch option.completion {
      case _ where !option.takesValue: ""
      case _ where !option.allowedValues.isEmpty: " -x -a '\(option.allowedValues.joined(separator: " "))'"
      case .nothing: " -x"
      case .file: " -r -F"
      case .folder: " -x -a '(__fish_complete_directories)'"
      case .variable: " -x -a '(set -n)'"
      }
    return "complete -c \(tool.name)\(condition) -l \(option.name)\(value) -d '\(Self.fishText(option.help))'"
  }

  private static func fishText(_ text: String) -> String { text.escaping(["\\": "\\\\", "'": "\\'"]) }
}
