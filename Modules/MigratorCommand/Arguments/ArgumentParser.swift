internal import Migrator
internal import SQLMigrations

/// Takes a command line apart by the tables of commands and options.
struct ArgumentParser: Sendable {
  private let tool: MigratorTool
  private let options: [OptionSpecification]
  private let variable: @Sendable (_ name: String) -> String?

  /// A parser for a tool's commands and options.
  ///
  /// - Parameter variable: The value of an environment variable, from which absent options are read.
  init(tool: MigratorTool, variable: @escaping @Sendable (_ name: String) -> String?) {
    self.tool = tool
    options = tool.options
    self.variable = variable
  }

  /// Takes the arguments apart.
  ///
  /// Options may stand before and behind the command, as `--name value` or `--name=value`; what follows `--` is no
  /// option. Whether a command was named, and whether it has what it needs, is the caller's to check.
  ///
  /// - Parameter arguments: What was typed, without the program's name.
  /// - Throws: ``ToolFailure`` of wrong usage at the first argument that cannot be understood.
  func parse(_ arguments: [String]) throws(ToolFailure) -> ParsedArguments {
    var parsed = ParsedArguments()
    var rest = arguments[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
        try addWord(argument, to: &parsed)
      } else if argument == "--" {
        optionsEnded = true
      } else {
        try addOption(argument, rest: &rest, to: &parsed)
      }
    }
    // A request for help needs no other part of the line to make sense.
    if !parsed.contains(.help) { try checkOwnership(of: parsed) }
    try addVariables(to: &parsed)
    return parsed
  }

  private func addWord(_ word: String, to parsed: inout ParsedArguments) throws(ToolFailure) {
    guard parsed.command != nil else {
      parsed.command = word
      return
    }
    parsed.operands.append(word)
  }

  private func addOption(
    _ argument: String, rest: inout ArraySlice<String>, to parsed: inout ParsedArguments
  ) throws(ToolFailure) {
    let name: String
    var value: String?
    if let equals = argument.firstIndex(of: "=") {
      name = String(argument[..<equals])
      value = String(argument[argument.index(after: equals)...])
    } else {
      name = argument
    }
    let option = try specification(of: name == "-h" ? "--help" : name, in: parsed.command)
    if parsed.contains(option), option.takesValue, !option.isRepeatable {
      throw .usage("\(name) was given twice", remedy: "Give it once.")
    }
    parsed.given.insert(option.name)
    guard let placeholder = option.placeholder else {
      if value != nil { throw .usage("\(name) takes no value", remedy: "Write \(name) alone.") }
      return
    }
    if value == nil, let next = rest.first, !next.hasPrefix("--") { value = rest.popFirst() }
    guard let value, !value.isEmpty else {
      throw .usage("\(name) needs a value", remedy: "Write \(name) \(placeholder).")
    }
    try check(value, of: option, writtenAs: name)
    parsed.values[option.name] = value
    if option.isRepeatable { parsed.lists[option.name, default: []].append(value) }
  }

  private func check(_ value: String, of option: OptionSpecification, writtenAs name: String) throws(ToolFailure) {
    guard !option.isTableName || Ledger.isPossible(table: value) else {
      throw .usage("\(name) cannot be \"\(value)\"", remedy: "The names that begin with sqlite_ are the engine's own.")
    }
    guard !option.allowedValues.isEmpty, !option.allowedValues.contains(value) else { return }
    throw .usage(
      "\(name) cannot be \"\(value)\"", remedy: "It is one of: \(option.allowedValues.joined(separator: ", ")).")
  }

  /// The option of a name: of every command, of the one that was typed before it, or of any other.
  private func specification(of name: String, in command: String?) throws(ToolFailure) -> OptionSpecification {
    let word = name.hasPrefix("--") ? name.dropFirst(2) : ""
    for list in [options, command.flatMap(tool.knownCommand)?.options ?? []] {
      if let option = list.first(where: { $0.name == word }) { return option }
    }
    let all = options + tool.commands.flatMap(\.options)
    if let option = all.first(where: { $0.name == word }) { return option }
    if name == "--key" || name == "--password" || name == "--passphrase" {
      throw .usage(
        "there is no option \(name): arguments are visible to every user of the machine",
        remedy: "Give the key with --key-file PATH, --key-env NAME or --key-fd N, or wait to be asked for it.")
    }
    let suggestion = Suggestion.nearest(to: name, among: all.map { "--" + $0.name })
    throw .usage(
      "there is no option \(name)",
      remedy: suggestion.map { "Did you mean \($0)?" } ?? "`\(tool.name) help` lists the options.")
  }

  /// Refuses options of another command: to ignore one silently would do something else than what was asked for.
  private func checkOwnership(of parsed: ParsedArguments) throws(ToolFailure) {
    guard let command = parsed.command.flatMap(tool.knownCommand) else { return }
    let known = options + command.options
    let strangers = parsed.given.lazy.filter { name in !known.contains { $0.name == name } }
    guard let stranger = strangers.min() else { return }
    let owners = tool.commands.filter { $0.options.contains { $0.name == stranger } }.map(\.name)
    throw .usage(
      "--\(stranger) is not an option of `\(command.name)`",
      remedy: "It belongs to \(owners.map { "`\($0)`" }.joined(separator: " and ")).")
  }

  private func addVariables(to parsed: inout ParsedArguments) throws(ToolFailure) {
    for option in options where parsed.values[option.name] == nil {
      guard let name = option.environmentVariable, let value = variable(name), !value.isEmpty else { continue }
      if option.isTableName { try check(value, of: option, writtenAs: name) }
      parsed.values[option.name] = value
    }
  }
}
