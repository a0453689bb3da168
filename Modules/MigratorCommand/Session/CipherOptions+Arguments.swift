extension CipherOptions {
  /// The options that settings are read from.
  static let specifications: [OptionSpecification] = [
    .cipherCompatibility, .cipherPageSize, .keyIterations, .keyAlgorithm, .authenticationAlgorithm, .noAuthentication,
    .plaintextHeaderSize,
  ]

  /// Reads the settings from the command line.
  ///
  /// - Parameter prefix: What stands before the names of the options.
  init(_ arguments: ParsedArguments, prefix: String = "") throws(ToolFailure) {
    func text(_ option: OptionSpecification) -> String? { arguments.values[prefix + option.name] }
    func number(_ option: OptionSpecification) throws(ToolFailure) -> Int? {
      guard let text = text(option) else { return nil }
      guard let number = Int(text), number > 0 else {
        throw .usage("--\(prefix)\(option.name) cannot be \"\(text)\"", remedy: "It is a positive number.")
      }
      return number
    }
    self.init(
      compatibility: try number(.cipherCompatibility), pageSizeInBytes: try number(.cipherPageSize),
      keyIterations: try number(.keyIterations), keyAlgorithm: text(.keyAlgorithm),
      authenticationAlgorithm: text(.authenticationAlgorithm),
      usesAuthentication: arguments.given.contains(prefix + OptionSpecification.noAuthentication.name) ? false : nil,
      plaintextHeaderSizeInBytes: try number(.plaintextHeaderSize))
    // A page is a power of two from 512 through 65536 bytes (https://www.sqlite.org/fileformat2.html, 1.3.2).
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      throw .usage(
        "--\(prefix)cipher-page-size cannot be \(size)", remedy: "It is a power of two from 512 through 65536.")
    }
  }
}
