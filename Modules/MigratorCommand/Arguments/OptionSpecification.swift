/// One option of the command line: what it is called, what it takes, and what the help says of it.
struct OptionSpecification: Sendable {
  /// The headings under which the help lists options, in the order of this declaration.
  enum Group: String, Sendable, CaseIterable {
    /// Options of one command.
    case command = "Options"
    /// Where the database and the migrations are.
    case database = "Database"
    /// Where the key of an encrypted database comes from.
    case key = "Key"
    /// How an encrypted database is encrypted, where it differs from the library's own settings.
    case cipher = "Cipher settings"
    /// Which libraries do the work.
    case engine = "Engine"
    /// What is printed, and how.
    case output = "Output"
  }

  /// The option's name without its dashes.
  var name: String

  /// What stands for the value in the help; nil for an option that takes none.
  var placeholder: String?

  /// The heading under which the option is listed.
  var group: Group

  /// What the option does, as a phrase.
  var help: String

  /// The environment variable that gives the value when the option is absent.
  var environmentVariable: String?

  /// The values that are allowed; empty when any is.
  var allowedValues: [String] = []

  /// Whether the value is the name of a table of the migrator's.
  var isTableName = false

  /// Whether it may be given several times, each time with another value.
  var isRepeatable = false

  /// What shells offer for the value.
  var completion = Completion.nothing

  /// What a shell can offer where a value is typed.
  enum Completion: Sendable {
    /// Nothing, unless only some values are allowed.
    case nothing
    /// The names of files.
    case file
    /// The names of folders.
    case folder
    /// The names of environment variables.
    case variable
  }

  /// The option as it is typed: "--to ID".
  var usage: String { "--" + ([name] + [placeholder].compactMap(\.self)).joined(separator: " ") }

  /// What the option does, and the variable that stands for it.
  var helpWithVariable: String { help + (environmentVariable.map { " [\($0)]" } ?? "") }

  /// Whether a value follows the name.
  var takesValue: Bool { placeholder != nil }
}
