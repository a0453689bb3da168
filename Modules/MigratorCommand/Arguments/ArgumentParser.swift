internal import Migrator
internal import SQLMigrations

/// A parsed command line, checked against the tables of commands and options.
struct ParsedArguments: Sendable {
  var command: String?
  var operands: [String] = []
  /// The values of options by name, from the command line or else from their environment variables.
  var values: [String: String] = [:]
  /// The values of repeatable options, by name, in order.
  var lists: [String: [String]] = [:]
  /// The names of the options that were given, with or without a value.
  var given: Set<String> = []
  /// All arguments as they were given.
  var all: [String] = []

  func contains(_ option: OptionSpecification) -> Bool { given.contains(option.name) }

  /// Returns the option's value, from the command line or else from its environment variable.
  func value(of option: OptionSpecification) -> String? { values[option.name] }

  mutating func remove(_ option: OptionSpecification) {
    given.remove(option.name)
    values[option.name] = nil
  }

  func values(of option: OptionSpecification) -> [String] { lists[option.name] ?? [] }

  /// Returns an option's value as a number, zero or more; nil when it is absent.
  func number(_ option: OptionSpecification) throws(ToolFailure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .usage("--\(option.name) cannot be \"\(text)\"", remedy: "It is a number.")
    }
    return number
  }
}

struct ArgumentParser: Sendable {
  let toolName: String
  let options: [OptionSpecification]
  /// Returns the options of a command; nil for an unknown command.
  let commandOptions: @Sendable (_ command: String) -> [OptionSpecification]?
  /// Every command with its options.
  let commands: @Sendable () -> [(name: String, options: [OptionSpecification])]
  let variable: @Sendable (_ name: String) -> String?

  /// Parses the arguments, without the program's name.
  ///
  /// Options may come before and after the command, as `--name value` or `--name=value`. Arguments after `--` are never
  /// options. The caller checks whether a command was named, and whether its required arguments are present.
  func parse(_ arguments: [String]) throws(ToolFailure) -> ParsedArguments {
    var parsed = ParsedArguments(all: arguments)
    var rest = arguments[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
        if parsed.command == nil { parsed.command = argument } else { parsed.operands.append(argument) }
      } else if argument == "--" {
        optionsEnded = true
      } else {
        try addOption(argument, rest: &rest, to: &parsed)
      }
    }
    // With --help, the rest of the command line need not be valid.
    if !parsed.contains(.help) { try checkOwnership(of: parsed) }
    try addVariables(to: &parsed)
    return parsed
  }

  private func addOption(
    _ argument: String, rest: inout ArraySlice<String>, to parsed: inout ParsedArguments
  ) throws(ToolFailure) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    var value = parts.count > 1 ? parts[1] : nil
    let option = try specification(of: name == "-h" ? "--help" : name, in: parsed.command)
    if parsed.contains(option), option.takesValue, !option.isRepeatable {
      throw .usage("\(name) was given twice", remedy: "Give it once.")
    }
    parsed.given.insert(option.name)
    guard let placeholder = option.placeholder else {
      if value != nil { throw .usage("\(name) takes no value", remedy: "Write \(name) without a value.") }
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
      throw .usage("\(name) cannot be \"\(value)\"", remedy: "SQLite reserves the names that begin with sqlite_.")
    }
    guard !option.isSeconds || Double(value).map({ (0...1e6).contains($0) }) ?? false else {
      throw .usage("\(name) cannot be \"\(value)\"", remedy: "It is a number of seconds.")
    }
    guard !option.allowedValues.isEmpty, !option.allowedValues.contains(value) else { return }
    throw .usage(
      "\(name) cannot be \"\(value)\"", remedy: "It is one of: \(option.allowedValues.joined(separator: ", ")).")
  }

  /// Returns the option with this name: a common one, one of the command typed before it, or one of another command.
  private func specification(of name: String, in command: String?) throws(ToolFailure) -> OptionSpecification {
    let word = name.hasPrefix("--") ? name.dropFirst(2) : ""
    let own = command.flatMap(commandOptions) ?? []
    if let option = (options + own).first(where: { $0.name == word }) { return option }
    let others = commands().flatMap(\.options)
    if let option = others.first(where: { $0.name == word }) { return option }
    if name == "--key" || name == "--password" || name == "--passphrase" {
      throw .usage(
        "there is no option \(name): every user of the machine can see arguments",
        remedy: "Give the key with --key-file PATH, --key-env NAME or --key-fd N, or omit it to be asked for it.")
    }
    let suggestion = Suggestion.nearest(to: name, among: (options + others).map { "--" + $0.name })
    throw .usage(
      "there is no option \(name)",
      remedy: suggestion.map { "Did you mean \($0)?" } ?? "`\(toolName) help` lists the options.")
  }

  /// Refuses options of another command: silently ignoring one would not do what the user asked for.
  private func checkOwnership(of parsed: ParsedArguments) throws(ToolFailure) {
    guard let command = parsed.command, let own = commandOptions(command) else { return }
    let known = Set((options + own).map(\.name))
    guard let other = parsed.given.subtracting(known).min() else { return }
    let owners = commands().filter { $0.options.contains { $0.name == other } }.map(\.name)
    throw .usage(
      "--\(other) is not an option of `\(command)`",
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
