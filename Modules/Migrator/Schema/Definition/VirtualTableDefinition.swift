/// The arguments of a virtual table's module, inside `create(virtualTable:using:)`.
public final class VirtualTableDefinition {
  private(set) var arguments: [String] = []

  init() {}

  /// Appends an argument, in the module's syntax and without the comma.
  public func argument(_ sql: String) { arguments.append(sql) }
}

/// The definition of a new virtual table (https://www.sqlite.org/lang_createvtab.html).
public struct NewVirtualTableDescription: Sendable, Equatable {
  /// The table's name.
  public var name: String
  /// The schema of an attached database in which to create the table; nil for the main schema.
  public var schema: String?
  /// Options for creating the table.
  public var options: VirtualTableOptions
  /// The module's name.
  public var module: String
  /// The module's arguments, in the module's syntax.
  public var arguments: [String]

  /// Creates a definition.
  public init(
    name: String, schema: String? = nil, options: VirtualTableOptions = [], module: String, arguments: [String] = []
  ) {
    self.name = name
    self.schema = schema
    self.options = options
    self.module = module
    self.arguments = arguments
  }
}

/// Options for creating a virtual table.
public struct VirtualTableOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8
  /// Creates a set of options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Nothing is done if the table exists.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)
}
