struct KeyReader: Sendable {
  var environment: ToolEnvironment
  var isRaw: Bool

  func key(from source: KeySource) throws(ToolFailure) -> ToolKey {
    environment.forbidCoreDump()
    switch source {
    case .file(let path):
      return try key("the key file \(path)", "Check that it is a file, and that you have permission to read it.") {
        count throws(SystemFailure) in try FileSystem.bytes(of: path, count: count)
      }
    case .descriptor(let number):
      FileSystem.keepFromChildren(number)
      return try key(
        "file descriptor \(number)", "Open it for the command: add `\(number)<KEYFILE` to the command line."
      ) {
        count throws(SystemFailure) in try FileSystem.bytes(of: number, count: count)
      }
    case .variable(let name):
      guard let value = environment.variable(name), !value.isEmpty else {
        throw .usage(
          "the environment variable \(name), which should contain the key, is empty or not set",
          remedy: "Set it, or name another one with --key-env.")
      }
      var bytes = Array(value.utf8)
      return try key(&bytes, name: "the environment variable \(name)")
    }
  }

  /// Asks the user for the key, twice if requested, to catch typing errors; returns nil if there is no terminal.
  func keyFromTerminal(_ question: String, twice: Bool) throws(ToolFailure) -> ToolKey? {
    guard environment.isInputTerminal else { return nil }
    environment.forbidCoreDump()
    let secret = try ask(question.harmless())
    if twice {
      let again = try ask("Repeat the key: ")
      let isSame = secret.withUnsafeBytes { one in again.withUnsafeBytes { one.elementsEqual($0) } }
      guard isSame else { throw .usage("the two keys differ", remedy: "Nothing was changed. Try again.") }
    }
    var bytes = secret.withUnsafeBytes { Array($0) }
    return try key(&bytes, name: "the input")
  }

  private func ask(_ question: String) throws(ToolFailure) -> ToolSecret {
    let answer = environment.readSecret(question)
    environment.writeError("\n")
    guard let answer else { throw .usage("no key was typed") }
    return answer
  }

  private func key(
    _ name: String, _ remedy: String, read: (_ count: Int) throws(SystemFailure) -> [UInt8]
  ) throws(ToolFailure) -> ToolKey {
    var bytes: [UInt8]
    do {
      // Reads one byte more than allowed, to detect a larger file.
      bytes = try read(ToolSecret.maximumSizeInBytes + 1)
    } catch {
      throw .usage("\(name) cannot be read", why: error.reason, remedy: remedy)
    }
    guard bytes.count <= ToolSecret.maximumSizeInBytes else {
      bytes.withUnsafeMutableBytes { SecretMemory.wipe($0) }
      throw .usage(
        "\(name) has more than \(ToolSecret.maximumSizeInBytes) bytes, too many for a key",
        remedy: "Check that it is the right one.")
    }
    // Editors and `echo` append a newline that is not part of the key.
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
    bytes.withUnsafeMutableBytes { SecretMemory.wipe($0) }
    guard decoded.count == 32 || decoded.count == 48 else {
      throw .usage(
        "\(name) does not contain a raw key",
        remedy: "Give 64 hexadecimal digits, or 96 with the salt; for a passphrase, omit --raw-key.")
    }
    return ToolKey(form: .raw, secret: ToolSecret(consuming: &decoded))
  }
}

extension ToolKey {
  /// The bytes in the form in which ``KeyReader`` reads them; the caller must overwrite them.
  var text: [UInt8] {
    secret.withUnsafeBytes { bytes in
      guard form != .raw else { return Hexadecimal.encode(bytes) }
      return Array(unsafeUninitializedCapacity: bytes.count + 1) { text, count in
        for (index, byte) in bytes.enumerated() { text.initializeElement(at: index, to: byte) }
        // The reader removes one line break at the end, not one that belongs to the key.
        text.initializeElement(at: bytes.count, to: UInt8(ascii: "\n"))
        count = bytes.count + 1
      }
    }
  }
}
