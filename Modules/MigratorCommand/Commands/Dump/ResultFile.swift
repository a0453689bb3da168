internal import Migrator
internal import SQLMigrations

/// The file to which a command writes its result, named by `--output`.
struct ResultFile {
  let path: String
  let command: String
  /// Returns whether a text is an earlier result of the command, which may be overwritten.
  let isResult: (_ text: String) -> Bool
  /// The path of the database that the result describes; nil for migrations.
  ///
  /// Only users who can read the database may read a new result file.
  let database: String?

  /// Replaces the contents of the file atomically.
  ///
  /// Follows links and retains the file's permissions and, as far as possible, its owner; writes directly to pipes and
  /// devices.
  ///
  /// - Parameter overwritesOthers: Whether to overwrite text that is not a result of the command. Files that are not
  ///   text, such as databases, are never overwritten.
  /// - Returns: False if the file already has this text; its modification date is then unchanged.
  /// - Throws: ``ToolFailure``: a refusal if the file has other contents, a usage failure if it cannot be written.
  @discardableResult
  func write(_ text: String, overwritesOthers: Bool) throws(ToolFailure) -> Bool {
    // A file that cannot be examined is reported when it is written.
    let status = try? FileSystem.status(of: path)
    guard status != nil || !FileSystem.isLink(path) else {
      throw .refused(
        "\(path) was not written", why: ["it is a link to a file that does not exist"],
        remedy: "Create that file, or name it directly.")
    }
    if let status, status.kind == .regular {
      // A file that cannot be read counts as binary.
      let old = try? ScriptFile.text(at: path)
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
        remedy: status?.kind == .folder
          ? "Give the path of a file." : "Check the folder and its permissions, or choose another path.")
    }
    return true
  }

  private func check(_ old: String?, _ overwritesOthers: Bool) throws(ToolFailure) {
    guard let old, !old.utf8.contains(0) else {
      throw .refused(
        "`\(command)` will not overwrite \(path)", why: ["it is not a text file, and may be a database"],
        remedy: "Name another file, or move this one away.")
    }
    guard old.isEmpty || isResult(old) || overwritesOthers else {
      throw .refused(
        "`\(command)` will not overwrite \(path)", why: ["`\(command)` did not create this file"],
        remedy: "Name another file, or add --yes to overwrite it.")
    }
  }

  private func replace(by text: String) throws(SystemFailure) {
    let target = FileSystem.resolve(path)
    let mode = database.flatMap { try? FileSystem.status(of: $0).permissions } ?? 0o666
    var partial: String
    repeat {
      // A name that no other process can predict.
      partial = FileSystem.join(target.folder, ".migrator-\(UInt64.random(in: 0 ... .max)).partial")
    } while try !FileSystem.createFile(partial, text: text, mode: mode & 0o666, like: target.path)
    do throws(SystemFailure) {
      try FileSystem.move(partial, to: target.path)
    } catch {
      FileSystem.remove(partial)
      throw error
    }
  }
}
