#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Reads the key of an encrypted database from where the user keeps it.
struct KeyReader: Sendable {
  /// The world outside.
  var environment: ToolEnvironment
  /// Whether the key is written as hexadecimal digits.
  var isRaw: Bool

  /// The key from a source that the options name.
  func key(from source: KeySource) throws(ToolFailure) -> ToolKey {
    environment.forbidCoreDump()
    switch source {
    case .file(let path):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw .usage(
          "the key file \(path) cannot be read", why: SystemCalls.message(errno),
          remedy: "Name the file that holds the key with --key-file PATH.")
      }
      defer { close(descriptor) }
      return try key(
        descriptor, name: "the key file \(path)", remedy: "Name the file that holds the key with --key-file PATH.")
    case .descriptor(let number):
      // The programs that the tool starts could read it again.
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      return try key(
        number, name: "file descriptor \(number)",
        remedy: "Open it for the command: write \(number)<FILE behind it.")
    case .variable(let name):
      guard let value = environment.variable(name), !value.isEmpty else {
        throw .usage(
          "the environment variable \(name), which should hold the key, is not set",
          remedy: "Set it, or name another one with --key-env.")
      }
      var bytes = Array(value.utf8)
      return try key(&bytes, name: "the environment variable \(name)")
    }
  }

  /// The key that the user types; asked for twice when it will encrypt a new database.
  ///
  /// - Returns: Nil when there is no terminal to ask on.
  func keyFromTerminal(for path: String, isNew: Bool) throws(ToolFailure) -> ToolKey? {
    try keyFromTerminal(isNew ? "Key for the new database \(path): " : "Key for \(path): ", twice: isNew)
  }

  /// The key that the user types behind a question, perhaps twice, to notice a slip.
  ///
  /// - Returns: Nil when there is no terminal to ask on.
  func keyFromTerminal(_ question: String, twice: Bool) throws(ToolFailure) -> ToolKey? {
    guard environment.isInputTerminal else { return nil }
    environment.forbidCoreDump()
    let secret = try ask(question.harmless())
    if twice {
      let again = try ask("The same key again: ")
      let isSame = secret.withUnsafeBytes { one in again.withUnsafeBytes { one.elementsEqual($0) } }
      guard isSame else { throw .usage("the two keys are not the same", remedy: "Nothing was changed. Try again.") }
    }
    var bytes = secret.withUnsafeBytes { Array($0) }
    return try key(&bytes, name: "the key")
  }

  private func ask(_ question: String) throws(ToolFailure) -> ToolSecret {
    let answer = environment.readSecret(question)
    environment.writeError("\n")
    guard let answer else { throw .usage("no key was typed") }
    return answer
  }

  private func key(_ descriptor: Int32, name: String, remedy: String) throws(ToolFailure) -> ToolKey {
    // One byte more than fits, to tell a full buffer from a file that goes on.
    var bytes = [UInt8](repeating: 0, count: ToolSecret.maximumSizeInBytes + 1)
    let count = bytes.withUnsafeMutableBytes { SystemCalls.readFully($0, from: descriptor) }
    guard count >= 0 else {
      throw .usage("\(name) cannot be read", why: SystemCalls.message(Int32(-count)), remedy: remedy)
    }
    guard count <= ToolSecret.maximumSizeInBytes else {
      bytes.withUnsafeMutableBytes { SystemCalls.wipe($0) }
      throw .usage(
        "\(name) holds more than \(ToolSecret.maximumSizeInBytes) bytes, which cannot be a key",
        remedy: "Check that it is the right one.")
    }
    bytes.removeLast(bytes.count - count)
    // Editors and `echo` end a file with a newline that nobody means as a part of the key.
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    return try key(&bytes, name: name)
  }

  private func key(_ bytes: inout [UInt8], name: String) throws(ToolFailure) -> ToolKey {
    guard !bytes.isEmpty else {
      throw .usage("\(name) is empty", remedy: "An empty key would leave the database unencrypted. Give a real one.")
    }
    guard isRaw else { return ToolKey(form: .passphrase, secret: ToolSecret(consuming: &bytes)) }
    var decoded = Hexadecimal.decode(bytes) ?? []
    bytes.withUnsafeMutableBytes { SystemCalls.wipe($0) }
    guard decoded.count == 32 || decoded.count == 48 else {
      throw .usage(
        "\(name) is no raw key",
        remedy: "--raw-key expects 64 hexadecimal digits, or 96 with the salt; leave it out for a passphrase.")
    }
    return ToolKey(form: .raw, secret: ToolSecret(consuming: &decoded))
  }
}
