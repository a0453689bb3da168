internal import Migrator

extension String {
  /// The text as one word of a shell's line, so that a command that is shown can be typed as it is.
  ///
  /// Bare where no shell reads anything into it, otherwise in single quotes, which bash, zsh and fish read alike.
  var shellWord: String {
    guard isEmpty || utf8.contains(where: { !$0.isPlainInShells }) else { return self }
    return "'" + escaping(["'": #"'\''"#]) + "'"
  }
}

extension UInt8 {
  /// Whether no shell takes the byte for more than itself, wherever it is in a word.
  fileprivate var isPlainInShells: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
    default: [UInt8]("/._-+:@,%".utf8).contains(self)
    }
  }
}
