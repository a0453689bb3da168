/// How an encrypted database is encrypted, where the user says that it differs from the library's own settings.
public struct CipherOptions: Sendable, Hashable {
  /// The major version of SQLCipher whose file format is meant: 1, 2, 3 or 4.
  public var compatibility: Int?
  /// The size of a page in bytes.
  public var pageSizeInBytes: Int?
  /// The rounds of the passphrase's derivation.
  public var keyIterations: Int?
  /// The hash of the passphrase's derivation: one of ``algorithms``.
  public var keyAlgorithm: String?
  /// The hash that authenticates pages: one of ``algorithms``.
  public var authenticationAlgorithm: String?

  /// Whether pages are authenticated.
  public var usesAuthentication: Bool?
  /// How many bytes at the start of the file are not encrypted.
  public var plaintextHeaderSizeInBytes: Int?

  /// The names of hashes that can be given.
  ///
  /// Source: https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_algorithm
  public static let algorithms = ["sha1", "sha256", "sha512"]

  /// Creates options; nil leaves a setting to the library.
  public init(
    compatibility: Int? = nil, pageSizeInBytes: Int? = nil, keyIterations: Int? = nil, keyAlgorithm: String? = nil,
    authenticationAlgorithm: String? = nil, usesAuthentication: Bool? = nil, plaintextHeaderSizeInBytes: Int? = nil
  ) {
    self.compatibility = compatibility
    self.pageSizeInBytes = pageSizeInBytes
    self.keyIterations = keyIterations
    self.keyAlgorithm = keyAlgorithm
    self.authenticationAlgorithm = authenticationAlgorithm
    self.usesAuthentication = usesAuthentication
    self.plaintextHeaderSizeInBytes = plaintextHeaderSizeInBytes
  }
}

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
