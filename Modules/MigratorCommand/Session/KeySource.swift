/// Where the user says that the key comes from.
enum KeySource: Equatable, Sendable {
  /// A file's content.
  case file(String)
  /// An environment variable.
  case variable(String)
  /// A descriptor that is already open.
  case descriptor(Int32)

  /// The source that the options name; nil when they name none.
  init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    try self.init(arguments, .keyFile, .keyVariable, .keyDescriptor)
  }

  /// The source that the options of a new key name; nil when they name none.
  init?(newIn arguments: ParsedArguments) throws(ToolFailure) {
    try self.init(arguments, .newKeyFile, .newKeyVariable, .newKeyDescriptor)
  }

  private init?(
    _ arguments: ParsedArguments, _ file: OptionSpecification, _ variable: OptionSpecification,
    _ descriptor: OptionSpecification
  ) throws(ToolFailure) {
    let given = [file, variable, descriptor].filter(arguments.contains)
    guard given.count < 2 else {
      throw .usage(
        "the key is given twice, by \(given.map { "--" + $0.name }.joined(separator: " and "))",
        remedy: "Give one of the two.")
    }
    if let path = arguments.value(of: file) {
      self = .file(path)
    } else if let name = arguments.value(of: variable) {
      self = .variable(name)
    } else if let text = arguments.value(of: descriptor) {
      guard let number = Int32(text), number >= 0 else {
        throw .usage(
          "--\(descriptor.name) needs the number of an open file descriptor",
          remedy: "Write --\(descriptor.name) 3 3<FILE, for one.")
      }
      self = .descriptor(number)
    } else {
      return nil
    }
  }
}
