internal import Migrator

extension OptionSpecification {
  static let function = OptionSpecification(
    name: "function", placeholder: "NAME/COUNT",
    help:
      "a function that only the app has, and the number of its arguments; in rehearsals, it returns its first argument; "
      + "repeatable", isRepeatable: true)
}

/// A function that only the app has, as `--function` names it: a stand-in for rehearsals, which returns its first
/// argument.
struct RehearsalFunction: Sendable {
  private let name: String
  private let argumentCount: Int

  /// Reads `NAME/COUNT`; nil if the text has another form.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    // The largest number of arguments that SQLite allows (https://www.sqlite.org/limits.html).
    guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), 0...127 ~= count else { return nil }
    (name, argumentCount) = (String(parts[0]), count)
  }

  /// Adds the functions on the command line to the connections of a configuration.
  static func add(to configuration: inout Configuration, _ context: CommandContext) {
    let functions = context.arguments.values(of: .function).compactMap(RehearsalFunction.init)
    guard !functions.isEmpty else { return }
    configuration.prepareDatabase { db in
      for function in functions {
        try db.add(
          function: DatabaseFunction(function.name, argumentCount: function.argumentCount, pure: true) {
            $0.first ?? .null
          })
      }
    }
  }
}
