internal import SQLMigrations

/// The file that a command's result goes to, named by `--output`.
struct ResultFile {
  let path: String
  let command: String
  /// Whether a text is a result of the command, which makes way for another one.
  let isResult: (_ text: String) -> Bool
  /// No result is as large as this, in bytes.
  private static let largestSize = 1 << 28

  /// Puts a text in the place of what the file holds: all of it, or nothing.
  ///
  /// Links are followed, and the file keeps its permissions; pipes and devices are written to.
  ///
  /// - Parameter overwritesOthers: Whether a text that is no result of the command makes way, too. What is no text, such as
  ///   a database, never does.
  /// - Returns: False when the file holds the text already; it keeps its date.
  /// - Throws: ``ToolFailure``, refused when something else is there, of wrong usage when it cannot be written.
  @discardableResult
  func write(_ text: String, overwritesOthers: Bool) throws(ToolFailure) -> Bool {
    // What cannot be examined is reported when it is written.
    let status = try? FileSystem.status(of: path)
    guard status != nil || !FileSystem.isLink(path) else {
      throw .refused(
        "\(path) is not written", why: ["it is a link to a file that does not exist"],
        remedy: "Make that file, or name it itself.")
    }
    if let status, status.kind == .regular {
      // Something that cannot be read is no text.
      let old = status.size < Self.largestSize ? try? ScriptFile.text(at: path) : nil
      guard old != text else { return false }
      try check(old, overwritesOthers)
    }
    do throws(SystemFailure) {
      if status?.kind == .other {
        try FileSystem.write(text, into: path)
      } else {
        try replace(by: text)
      }
    } catch {
      throw .usage(
        "\(path) cannot be written", why: error.reason,
        remedy: status?.kind == .folder ? "Name a file." : "Check the folder and its permissions, or write elsewhere.")
    }
    return true
  }

  private func check(_ old: String?, _ overwritesOthers: Bool) throws(ToolFailure) {
    guard let old, !old.utf8.contains(0) else {
      throw .refused(
        "\(path) is not overwritten", why: ["it holds no text, but perhaps a database"],
        remedy: "Name another file, or move that one away.")
    }
    guard old.isEmpty || isResult(old) || overwritesOthers else {
      throw .refused(
        "\(path) is not overwritten", why: ["it was not written by `\(command)`"],
        remedy: "Name another file, or add --yes if nothing in it is needed.")
    }
  }

  private func replace(by text: String) throws(SystemFailure) {
    let target = FileSystem.resolve(path)
    // A random name, so that no other file is in its way.
    let sibling = "\(target.folder)/.migrator-\(UInt64.random(in: 0 ... .max)).partial"
    guard try FileSystem.createFile(sibling, text: text, permissionsOf: target.path) else {
      throw SystemFailure("\(sibling) is in the way", 0)
    }
    do throws(SystemFailure) {
      try FileSystem.move(sibling, to: target.path)
    } catch {
      FileSystem.remove(sibling)
      throw error
    }
  }
}
