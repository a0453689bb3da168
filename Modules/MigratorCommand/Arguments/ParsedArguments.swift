/// A command line, taken apart and checked against the tables of commands and options.
struct ParsedArguments: Sendable {
  /// The command's name; nil when none was given.
  var command: String?

  /// What was given beside the command and the options.
  var operands: [String] = []

  /// The values of the options that take one, by name; of variables too, where the option was absent.
  var values: [String: String] = [:]

  /// The values of options that may be given several times, by name, in their order.
  var lists: [String: [String]] = [:]

  /// The names of the options that were given, whether they take a value or not.
  var given: Set<String> = []

  /// Whether an option was given on the command line.
  func contains(_ option: OptionSpecification) -> Bool { given.contains(option.name) }

  /// The option's value, from the command line or else from its environment variable.
  func value(of option: OptionSpecification) -> String? { values[option.name] }

  /// All values of an option that may be given several times, in their order.
  func values(of option: OptionSpecification) -> [String] { lists[option.name] ?? [] }
}
