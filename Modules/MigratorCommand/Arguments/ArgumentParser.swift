internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The parsed command line, environment variables and configuration file, checked against the tables of commands and
/// options.
struct ParsedArguments: Sendable {
  var command: String?
  var operands: [String] = []
  /// The values of options by name, in the order in which they were given: from the command line, or else from
  /// environment variables, or else from the configuration file.
  var values: [String: [String]] = [:]
  /// The names of the options on the command line or in the configuration file, with or without a value.
  var given: Set<String> = []
  /// The names of the options on the command line.
  var typed: Set<String> = []
  /// The path of the configuration file; nil when there is none.
  var configurationPath: String?
  /// The environment variables that override options of the selected environment in the configuration file.
  var overrides: [(variable: String, option: String)] = []
  /// The environments whose databases the command must not change without the token of a plan, with their settings; empty
  /// if the command requires the token anyway, or never.
  var guarded: [(environment: String, settings: [ConfigurationFile.Setting])] = []

  func contains(_ option: OptionSpecification) -> Bool { given.contains(option.name) }

  /// Whether options name many databases.
  var isFleet: Bool { contains(.databases) || contains(.databasesFrom) }

  func value(of option: OptionSpecification) -> String? { value(named: option.name) }

  func value(named name: String) -> String? { values[name]?.last }

  mutating func remove(_ option: OptionSpecification) {
    given.remove(option.name)
    values[option.name] = nil
  }

  func values(of option: OptionSpecification) -> [String] { values[option.name] ?? [] }

  /// Returns an option's value as a number that is not negative; nil if the option is absent.
  func number(_ option: OptionSpecification) throws(ToolFailure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .usage("--\(option.name) cannot be \"\(text)\"", remedy: "Give a number of at least 0.")
    }
    return number
  }

  /// Adds settings from the configuration file for options to which neither the command line nor an environment
  /// variable gives a value.
  fileprivate mutating func add(_ settings: [ConfigurationFile.Setting], variables: [String: String]) {
    let settled = given.union(values.keys)
    for setting in settings {
      let name = setting.option.name
      if let variable = variables[name], setting.isOfEnvironment { overrides.append((variable, name)) }
      guard setting.isOn, !settled.contains(where: setting.option.excludes) else { continue }
      given.insert(name)
      values[name] = setting.values
    }
  }
}

struct ArgumentParser: Sendable {
  let tool: MigratorTool
  let options: [OptionSpecification]
  private let variable: @Sendable (_ name: String) -> String?
  /// The names of the backends whose databases are on a server.
  private var served: Set<String> { Set(tool.backends.filter(\.isServed).map(\.name)) }

  init(_ tool: MigratorTool, variable: @escaping @Sendable (_ name: String) -> String?) {
    (self.tool, options, self.variable) = (tool, tool.options, variable)
  }

  /// Parses the arguments, without the program's name.
  ///
  /// Options may come before and after the command, as `--name value` or `--name=value`. Arguments after `--` are never
  /// options. The caller checks whether a command was named, and whether its required arguments are present.
  func parse(_ arguments: [String]) throws(ToolFailure) -> ParsedArguments {
    var parsed = ParsedArguments()
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
    parsed.typed = parsed.given
    let variables = try addVariables(to: &parsed)
    // With --help, neither the rest of the command line nor the configuration need be valid.
    guard !parsed.contains(.help), !parsed.contains(.version) else { return parsed }
    try check(parsed)
    try addConfiguration(to: &parsed, variables: variables)
    // A dash stands for standard output, which is where the result goes without the option.
    if parsed.value(of: .output) == "-" { parsed.remove(.output) }
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
      throw .usage("\(name) was given twice", remedy: "Give the option once.")
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
    parsed.values[option.name, default: []].append(value)
  }

  private func check(_ value: String, of option: OptionSpecification, writtenAs name: String) throws(ToolFailure) {
    if let fault = option.fault(in: value) { throw .usage("\(name) cannot be \"\(value)\"", remedy: fault) }
  }

  /// Returns the option with this name: a common option, an option of `command`, or else an option of another command.
  private func specification(of name: String, in command: String?) throws(ToolFailure) -> OptionSpecification {
    let word = name.hasPrefix("--") ? name.dropFirst(2) : ""
    let own = command.flatMap(tool.knownCommand)?.options ?? []
    if let option = (options + own).first(where: { $0.name == word }) { return option }
    let others = tool.commands.flatMap(\.options)
    if let option = others.first(where: { $0.name == word }) { return option }
    if name == "--key" || name == "--password" || name == "--passphrase" {
      throw .usage(
        "there is no option \(name), because every user of the machine can see a program's arguments",
        remedy: "Give the key with --key-file PATH, --key-env NAME or --key-fd N, or run the command in an interactive "
          + "terminal to be prompted for it.")
    }
    if name.lowercased() == "-v" { throw .usage("there is no option \(name)", remedy: "Did you mean --version?") }
    let suggestion = Suggestion.nearest(to: name, among: (options + others).map { "--" + $0.name })
    throw .usage(
      "there is no option \(name)",
      remedy: suggestion.map { "Did you mean \($0)?" }
        ?? "`\(tool.name) help \(command.flatMap(tool.knownCommand)?.name ?? "COMMAND")` lists the options."
    )
  }

  /// Throws if a value is invalid, or if an option belongs to another command and would therefore have no effect.
  private func check(_ parsed: ParsedArguments) throws(ToolFailure) {
    guard let command = parsed.command, let own = tool.knownCommand(command)?.options else {
      return try check(parsed, options)
    }
    try check(parsed, options + own)
    let known = Set((options + own).map(\.name))
    guard let other = parsed.given.subtracting(known).min() else { return }
    let owners = tool.commands.filter { $0.options.contains { $0.name == other } }.map(\.name)
    throw .usage(
      "--\(other) is not an option of `\(command)`",
      remedy: listed(owners.map { "`\($0)`" }, limit: owners.count) + (owners.count == 1 ? " has it." : " have it."))
  }

  private func check(_ parsed: ParsedArguments, _ options: [OptionSpecification]) throws(ToolFailure) {
    for option in options where parsed.typed.contains(option.name) {
      for value in parsed.values(of: option) { try check(value, of: option, writtenAs: "--" + option.name) }
    }
  }

  /// Adds the values of environment variables; returns the variables' names by option.
  private func addVariables(to parsed: inout ParsedArguments) throws(ToolFailure) -> [String: String] {
    var variables: [String: String] = [:]
    for option in options where parsed.values[option.name] == nil {
      guard let name = option.environmentVariable, let value = variable(name), !value.isEmpty else { continue }
      if option.isTableName { try check(value, of: option, writtenAs: name) }
      parsed.values[option.name] = [value]
      variables[option.name] = name
    }
    let database = OptionSpecification.database.name
    if parsed.values[database] == nil, let path = DatabaseURL.path(variable) {
      parsed.values[database] = [path]
      variables[database] = DatabaseURL.variable
    }
    return variables
  }

  private func addConfiguration(
    to parsed: inout ParsedArguments, variables: [String: String]
  ) throws(ToolFailure) {
    guard let command = parsed.command.flatMap(tool.knownCommand), command.usesDatabase else { return }
    let own = command.options
    let environment = parsed.value(of: .environment)
    guard let file = try ConfigurationFile.find(parsed.value(of: .config)) else {
      guard let environment else { return }
      throw .usage(
        "--env \(environment) needs a configuration file, but there is none",
        remedy: "Create \(ConfigurationFile.name), or name a configuration file with --config.")
    }
    let settings = try file.settings(of: environment, known: tool.configurableOptions, served: served)
    let names = Set((options + own).map(\.name))
    parsed.add(settings.filter { names.contains($0.option.name) }, variables: variables)
    if own.contains(.confirm), !parsed.contains(.confirm) {
      parsed.guarded = try file.environmentsRequiringPlan(known: tool.configurableOptions, served: served)
    }
    parsed.configurationPath = file.path
  }
}

/// The two parts of an address such as `sqlite://PATH?mode=rwc`.
struct DatabaseScheme {
  /// The text before the colon, in lowercase, because schemes are compared without case
  /// (https://www.rfc-editor.org/rfc/rfc3986, 3.1).
  let name: String
  /// The path without slashes before a host and without options, which are for other programs; of an existing file,
  /// the whole path.
  let path: String
  /// Whether the address names a database in memory.
  let isInMemory: Bool

  /// Parses a text; returns nil if no letters and digits with a colon precede its path.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), text.first?.isLetter ?? false,
      text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+") })
    else { return nil }
    name = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    let whole = String(rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
    let parts = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let options = parts.dropFirst().first.map { $0.split(separator: "&") } ?? []
    let isFile = options.isEmpty || FileSystem.exists(whole)
    let literal = isFile ? whole : String(parts[0])
    path = FileSystem.exists(literal) ? literal : Self.decoded(literal)
    isInMemory = path == ":memory:" || !isFile && options.contains("mode=memory")
  }

  /// Returns the path with `%20` and the like replaced by the characters for which they stand in a URL.
  private static func decoded(_ path: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = Hexadecimal.decode(Array(rest.prefix(2)))?.first {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return ScriptFile.validText(bytes) ?? path
  }
}

/// The environment variable `DATABASE_URL`, in which many programs find the address of their database.
enum DatabaseURL {
  static let variable = "DATABASE_URL"

  /// Returns the path of the file that the variable names; nil if it does not have the form `sqlite:PATH` or `sqlite://PATH`.
  static func path(_ variable: (String) -> String?) -> String? {
    guard let scheme = variable(Self.variable).flatMap(DatabaseScheme.init), scheme.name == "sqlite",
      !scheme.path.isEmpty, !scheme.isInMemory
    else { return nil }
    // The contents of the file choose the backend, so that the path must not look like an address.
    return DatabaseScheme(scheme.path) == nil ? scheme.path : "./" + scheme.path
  }
}
