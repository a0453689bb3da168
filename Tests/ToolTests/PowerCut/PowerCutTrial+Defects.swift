import Foundation
import Migrator
import TestEngines

extension PowerCutTrial {
  /// Returns the defect of an image, and of the database after the command ran again; nil for none.
  ///
  /// - Parameters:
  ///   - isAtEnd: Whether the command had reported success.
  ///   - looksFirst: Whether the image is examined before the command runs again; otherwise, no other connection recovers
  ///     it for the command.
  func defect(of image: TemporaryFolder, isAtEnd: Bool, looksFirst: Bool) throws -> String? {
    if isAtEnd, let defect = try plaintextDefect(image) { return defect }
    if looksFirst, let defect = try defectBefore(image, isAtEnd: isAtEnd) { return defect }
    do {
      try run(in: image)
    } catch {
      return "the command fails: \(error)"
    }
    // Before the test opens a database: closing the last connection removes the files of a log.
    let log = hasLog ? ["-wal", "-shm"].map { Self.database + $0 } : []
    if let defect = try leftoverDefect(image, besides: log) ?? plaintextDefect(image) { return defect }
    guard let state = try state(in: image, formAfter) else { return "it does not open after the command ran again" }
    guard state == final else { return "\(state), not \(final)" }
    // The next connection has removed the database's own log.
    return try lossDefect(image, state) ?? leftoverDefect(image) ?? copyDefect(image)
  }

  /// Returns a defect if the command left files that nothing removes, or more or fewer backups than it retains.
  private func leftoverDefect(_ image: TemporaryFolder, besides log: [String] = []) throws -> String? {
    let names = try image.names()
    let left = names.filter { $0 != Self.database && !isResult($0) && !log.contains($0) }
    guard left.isEmpty else { return "leftover files: \(left)" }
    guard !olderBackups.isEmpty else { return nil }
    // A run that the power cut ended leaves its backup, and there may have been two. Once the database is erased, the next run
    // makes no backup and removes none; the one that comes next removes the outdated ones.
    let backups = names.filter(BackupFolder.isBackup)
    return (3...5).contains(backups.count) ? nil : "\(backups.count) backups: \(backups)"
  }

  /// Whether the command leaves a file on purpose.
  private func isResult(_ name: String) -> Bool {
    if command == .backUp { return name == Self.database + "-copy" }
    return command.keepsOriginal ? name == Self.database + "-original" : BackupFolder.isBackup(name)
  }

  private func defectBefore(_ image: TemporaryFolder, isAtEnd: Bool) throws -> String? {
    let states =
      try command.conversion == nil
      ? [state(in: image, formBefore) ?? (command == .create ? [] : nil)].compactMap(\.self)
      : [formBefore, formAfter].compactMap { try state(in: image, $0) }
    guard states.count == 1, let state = states.first else { return "it opens in \(states.count) forms" }
    guard allowed.contains(state) else { return "between two migrations: \(state)" }
    if isAtEnd, command.isDurable {
      guard state == final else { return "the success was not durable" }
      if let defect = try copyDefect(image) { return defect }
    }
    let backups = try image.names().filter(BackupFolder.isBackup)
    for name in backups {
      let backup = try self.state(in: image, formBefore, name: name)
      let isComplete = olderBackups[name].map { $0 == backup } ?? backup.map(allowed.contains) ?? false
      guard isComplete else { return "\(name) is not complete: \(backup ?? [])" }
    }
    guard backups.count >= olderBackups.count else { return "of three backups, there are only \(backups)" }
    return try lossDefect(image, state)
  }

  /// Returns a defect if neither the database nor any backup has all rows of the user.
  private func lossDefect(_ image: TemporaryFolder, _ state: [String]) throws -> String? {
    guard command.removesRows else { return nil }
    var counts = [Self.database: rowCount(state)]
    for name in try image.names() where BackupFolder.isBackup(name) {
      counts[name] = rowCount(try self.state(in: image, formBefore, name: name) ?? [])
    }
    return counts.values.contains(Self.rowCount) ? nil : "of \(Self.rowCount) rows, there are \(counts)"
  }

  private func rowCount(_ state: [String]) -> Int { state.count { $0.contains(Self.marker) } }

  /// Returns a defect if the copy that the command makes, or the original that it keeps, is not the old database.
  private func copyDefect(_ image: TemporaryFolder) throws -> String? {
    guard command == .backUp || command.keepsOriginal else { return nil }
    let name = Self.database + (command.keepsOriginal ? "-original" : "-copy")
    let copy = try state(in: image, formBefore, name: name)
    return copy == old ? nil : "\(name) has \(copy ?? [])"
  }

  /// Returns a defect if a file contains plaintext after an encryption.
  private func plaintextDefect(_ image: TemporaryFolder) throws -> String? {
    guard command == .convert(.encrypt) else { return nil }
    let names = try image.names().filter { try image.bytes(of: $0).range(of: Data(Self.marker.utf8)) != nil }
    return names.isEmpty ? nil : "plaintext in \(names)"
  }
}
