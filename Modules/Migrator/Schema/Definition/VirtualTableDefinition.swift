/// Gives the arguments of a virtual table's module, inside `create(virtualTable:using:)`.
public final class VirtualTableDefinition {
  private(set) var arguments: [String] = []

  init() {}

  /// Appends an argument, in the module's own language and without the comma.
  public func argument(_ sql: String) { arguments.append(sql) }
}

/// What a new virtual table is made of (https://www.sqlite.org/lang_createvtab.html).
public struct NewVirtualTableDescription: Sendable, Hashable {
  /// The table's name.
  public var name: String
  /// The schema of an attached database that the table goes to; nil for the main schema.
  public var schema: String?
  /// How the table is created.
  public var options: VirtualTableOptions
  /// The module's name.
  public var module: String
  /// What the module is given, each as SQL in that module's own language.
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

/// How a virtual table is created.
public struct VirtualTableOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Nothing happens when the table exists.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)
}
