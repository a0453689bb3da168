extension ToolCommand {
  static let encrypt = conversion(
    .encrypt, summary: "make a plain database an encrypted one",
    details:
      "Encrypts the file with the key that the key options name, or that is typed twice, and with the cipher settings that "
      + "are given. The plain text is overwritten and removed, unless --keep is given; what disks and backups keep of it, no "
      + "program can promise.",
    examples: [
      Example("encrypt --database app.sqlite --key-file key", "encrypt in place"),
      Example("encrypt --database app.sqlite --keep", "ask for the key, and keep the plain file"),
    ])

  static let decrypt = conversion(
    .decrypt, summary: "make an encrypted database a plain one",
    details: "Takes the encryption away: whoever can read the file can read everything in it then.",
    examples: [Example("decrypt --database app.db --key-file key --keep", "and keep the encrypted file")])

  static let rekey = conversion(
    .rekey, summary: "give an encrypted database another key",
    details:
      "The key options name the present key, and the same options with new- the one that it gets; what is not named is "
      + "asked for.",
    examples: [
      Example("rekey --database app.db --key-file old --new-key-file new", "with keys from files"),
      Example("rekey --database app.db", "ask for the old key, and twice for the new one"),
    ], options: OptionSpecification.newKeys)

  static let upgradeCipher = conversion(
    .upgrade, name: "upgrade-cipher", summary: "give an encrypted database the newest file format, or other settings",
    details:
      "Finds out which format of SQLCipher the file has, unless the cipher options say so, and gives it the running "
      + "library's, or what the same options with new- say. The key stays.",
    examples: [
      Example("upgrade-cipher --database old.db --key-file key", "from SQLCipher 3 to 4"),
      Example("upgrade-cipher --database app.db --key-file key --new-cipher-compatibility 3", "and back"),
    ], options: CipherOptions.newSpecifications)

  private static func conversion(
    _ kind: ToolConversion.Kind, name: String? = nil, summary: String, details: String, examples: [Example],
    options: [OptionSpecification] = []
  ) -> ToolCommand {
    ToolCommand(
      name: name ?? kind.rawValue, summary: summary,
      details: [
        details,
        "The work is done on a copy beside the file, which is compared with it, opened anew, and put in its place in one step: "
          + "killed at any moment, the old or the new database is there, whole, and running the command again finishes. Nobody "
          + "else may use the database meanwhile. Ctrl-C leaves it as it was.",
      ], examples: examples, options: options + [.keep],
      absence: { tool in
        guard !tool.backends.contains(where: { $0.convert != nil }) else { return nil }
        return .usage(
          "no backend of \(tool.name) encrypts", remedy: "Its maker can pass one, such as .sqlCipher, to MigratorTool.")
      }
    ) { context throws(ToolFailure) in try ConversionCommand(context, kind).run() }
  }
}

extension OptionSpecification {
  static let keep = OptionSpecification(
    name: "keep", help: "keep the file as it was, as NAME-original beside the new one")

  static let newKeys: [OptionSpecification] = [
    newer(.keyFile, help: "read the new key from a file; one newline at its end is dropped"),
    newer(.keyVariable, help: "read the new key from an environment variable"),
    newer(.keyDescriptor, help: "read the new key from an open file descriptor, until its end"),
    newer(.rawKey, help: "the new key is hexadecimal digits, and not a passphrase"),
  ]

  /// The option of a command that says of the file's future what another says of its present.
  static func newer(_ option: OptionSpecification, help: String) -> OptionSpecification {
    var newer = option
    newer.name = "new-" + option.name
    newer.group = .command
    newer.help = help
    return newer
  }
}

extension CipherOptions {
  static let newSpecifications = specifications.map { OptionSpecification.newer($0, help: $0.help + ", from then on") }
}
