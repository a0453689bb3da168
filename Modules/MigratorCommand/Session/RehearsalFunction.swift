internal import Migrator

/// The functions that only the app has, as `--function` names them: stand-ins for rehearsals, which return their first
/// argument.
enum RehearsalFunction {
  /// Adds the functions on the command line to the connections of a configuration.
  static func add(to configuration: inout Configuration, _ context: CommandContext) {
    let functions = context.arguments.values(of: .function).compactMap(OptionSpecification.functionParts)
    guard !functions.isEmpty else { return }
    configuration.prepareDatabase { db in
      for (name, count) in functions {
        try db.add(function: DatabaseFunction(name, argumentCount: count, pure: true) { $0.first ?? .null })
      }
    }
  }
}
