extension ToolCommand {
  static let encrypt = conversion(
    .encrypt, summary: "encrypt a plain database",
    details:
      "Encrypts the file with the key from the key options, or with one that you type twice, and with the given cipher "
      + "settings. Overwrites and removes the plain file, unless --keep is given; disks and backups may still contain its "
      + "contents.",
    examples: [
      Example("encrypt --database app.sqlite --key-file key", "encrypt in place"),
      Example("encrypt --database app.sqlite --keep", "ask for the key, and keep the plain file"),
    ])

  static let decrypt = conversion(
    .decrypt, summary: "decrypt an encrypted database",
    details: "Removes the encryption: everyone who can read the file can then read all its contents.",
    examples: [Example("decrypt --database app.db --key-file key --keep", "decrypt, and keep the encrypted file")])

  static let rekey = conversion(
    .rekey, summary: "change the key of an encrypted database",
    details:
      "The key options name the current key, and the same options with new- the new one. Asks for a key that is not given.",
    examples: [
      Example("rekey --database app.db --key-file old --new-key-file new", "with keys from files"),
      Example("rekey --database app.db", "ask for the old key, and twice for the new one"),
    ], options: OptionSpecification.newKeys)

  static let upgradeCipher = conversion(
    .upgrade, name: "upgrade-cipher", summary: "convert to the newest file format, or to other cipher settings",
    details:
      "Detects the SQLCipher format of the file, unless the cipher options specify it, and converts the file to the format of "
      + "the loaded library, or to the settings that the same options with new- specify. The key does not change.",
    examples: [
      Example("upgrade-cipher --database old.db --key-file key", "from SQLCipher 3 to 4"),
      Example("upgrade-cipher --database app.db --key-file key --new-cipher-compatibility 3", "back to SQLCipher 3"),
    ], options: CipherOptions.newSpecifications)

  private static func conversion(
    _ kind: ToolConversion.Kind, name: String? = nil, summary: String, details: String, examples: [Example],
    options: [OptionSpecification] = []
  ) -> ToolCommand {
    ToolCommand(
      name: name ?? kind.rawValue, summary: summary,
      details: [
        details,
        "The tool converts a copy beside the file, compares the two, reopens the copy, and replaces the file in one step: if the "
          + "process is killed at any moment, either the old or the new database is intact, and running the command again "
          + "finishes the work. No other process may use the database meanwhile. Ctrl-C leaves it unchanged.",
      ], examples: examples, options: options + [.keep],
      absence: { tool in
        guard !tool.backends.contains(where: { $0.convert != nil }) else { return nil }
        return .usage(
          "no backend of \(tool.name) supports encryption",
          remedy: "Pass one, such as .sqlCipher, to MigratorTool in the source of \(tool.name).")
      }
    ) { context throws(ToolFailure) in try ConversionCommand(context, kind).run() }
  }
}

extension OptionSpecification {
  static let keep = OptionSpecification(
    name: "keep", help: "keep the original file, as NAME-original beside the new one")

  static let newKeys: [OptionSpecification] = [
    newer(.keyFile, help: "read the new key from a file; one trailing newline is ignored"),
    newer(.keyVariable, help: "read the new key from an environment variable"),
    newer(.keyDescriptor, help: "read the new key from an open file descriptor, to its end"),
    newer(.rawKey, help: "the new key is hexadecimal digits instead of a passphrase"),
  ]

  /// Returns the `--new-...` option for the converted file that corresponds to an option for the current file.
  static func newer(_ option: OptionSpecification, help: String) -> OptionSpecification {
    var newer = option
    newer.name = "new-" + option.name
    newer.group = .command
    newer.help = help
    return newer
  }
}

extension CipherOptions {
  static let newSpecifications = specifications.map {
    OptionSpecification.newer($0, help: $0.help + ", after the conversion")
  }
}
