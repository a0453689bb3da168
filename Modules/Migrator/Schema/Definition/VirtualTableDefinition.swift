/// Gives the arguments of a virtual table's module, inside `create(virtualTable:using:)`.
public final class VirtualTableDefinition {
  private(set) var arguments: [String] = []

  init() {}

  /// Appends an argument, in the module's own language and without the comma.
  public func argument(_ sql: String) { arguments.append(sql) }
}

/// A definition is mutable and lives inside one access to the database.
@available(*, unavailable)
extension VirtualTableDefinition: Sendable {}
