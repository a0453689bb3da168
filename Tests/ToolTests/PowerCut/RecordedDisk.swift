import Foundation
import TestEngines

/// A folder on a simulated disk: what a process changed in it, and what of it was synced.
///
/// Contents and names are durable once the file or the folder is synced; until then, a power failure may lose them. The
/// model is stricter than most file systems: syncing a file does not make its name durable.
struct RecordedDisk {
  /// A change of a file by a process, as the library in `Tests/Faults/` records it.
  enum Change {
    case create(inode: UInt64, mode: Int, name: String)
    case write(inode: UInt64, offset: Int, Data)
    case truncate(inode: UInt64, size: Int)
    case mode(inode: UInt64, Int)
    case sync(inode: UInt64)
    case rename(String, to: String)
    case link(String, to: String)
    case unlink(String)
  }

  /// A file's content and permissions.
  struct File {
    var data = Data()
    var mode = 0o600

    fileprivate mutating func make(_ change: Change) {
      switch change {
      case .write(_, let offset, let bytes):
        if data.count < offset + bytes.count { data.append(Data(count: offset + bytes.count - data.count)) }
        data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      case .truncate(_, let size):
        data = data.count >= size ? Data(data.prefix(size)) : data + Data(count: size - data.count)
      case .mode(_, let mode): self.mode = mode
      case .create, .sync, .rename, .link, .unlink: break
      }
    }
  }

  private struct Stored {
    let inode: UInt64
    var durable: File
    var pending: [Change] = []
  }

  private let folderInode: UInt64
  private var files: [Stored] = []
  /// The files by their current inode numbers, which are used again.
  private var byInode: [UInt64: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [(name: String, file: Int?)] = []

  /// Creates the disk with the files of a folder, all of them synced.
  init(_ folder: TemporaryFolder) throws {
    folderInode = Self.inode(of: folder.path)
    for name in try folder.names() {
      let inode = Self.inode(of: folder.file(name))
      byInode[inode] = files.count
      durableNames[name] = files.count
      files.append(Stored(inode: inode, durable: File(data: try folder.bytes(of: name), mode: 0o644)))
    }
  }

  private static func inode(of path: String) -> UInt64 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  private var names: [String: Int] {
    pendingNames.reduce(into: durableNames) { names, change in names[change.name] = change.file }
  }

  /// Makes a change, which is not durable yet.
  mutating func make(_ change: Change) {
    switch change {
    case .create(let inode, let mode, let name):
      byInode[inode] = files.count
      pendingNames.append((name, files.count))
      files.append(Stored(inode: inode, durable: File(mode: mode)))
    case .write(let inode, _, _), .truncate(let inode, _), .mode(let inode, _):
      if let file = byInode[inode] { files[file].pending.append(change) }
    case .sync(let inode):
      if inode == folderInode {
        durableNames = names
        pendingNames = []
      } else if let file = byInode[inode] {
        for change in files[file].pending { files[file].durable.make(change) }
        files[file].pending = []
      }
    case .rename(let old, let new):
      pendingNames += [(new, names[old]), (old, nil)]
    case .link(let old, let new): pendingNames.append((new, names[old]))
    case .unlink(let name): pendingNames.append((name, nil))
    }
  }

  /// The parts of the unsynced changes that survive a power failure.
  enum Survivors: CaseIterable {
    case none
    case all
    /// Any of the writes, and the first of the changed names.
    case some
    /// All, but only the first sectors of the last write.
    case tornWrite
  }

  /// Writes the files that a power failure leaves into an empty folder.
  func writeImage(_ survivors: Survivors, last: Change?, into folder: TemporaryFolder, _ random: inout SeededGenerator)
    throws
  {
    var names = durableNames
    let nameCount =
      switch survivors {
      case .none: 0
      case .all, .tornWrite: pendingNames.count
      case .some: Int.random(in: 0...pendingNames.count, using: &random)
      }
    for change in pendingNames.prefix(nameCount) { names[change.name] = change.file }
    var inodes: [UInt64: UInt64] = [:]
    for (name, file) in names.sorted(by: { $0.key < $1.key }) {
      let content = content(files[file], survivors, last, &random)
      try folder.write(content.data, to: name)
      try FileManager.default.setAttributes([.posixPermissions: content.mode], ofItemAtPath: folder.file(name))
      inodes[files[file].inode] = Self.inode(of: folder.file(name))
    }
    // A conversion names its files by their inode numbers, which are others in this folder.
    let claim = names.keys.first { $0.hasSuffix("-converting-claim") }
    if let claim, let text = String(data: (try? folder.bytes(of: claim)) ?? Data(), encoding: .utf8), !text.isEmpty {
      let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
        let number = String(word.prefix { $0.isNumber })
        guard let inode = UInt64(number).flatMap({ inodes[$0] }) else { return String(word) }
        return "\(inode)" + word.dropFirst(number.count)
      }
      try Data(words.joined(separator: " ").utf8).write(to: URL(fileURLWithPath: folder.file(claim)))
    }
  }

  private func content(
    _ file: Stored, _ survivors: Survivors, _ last: Change?, _ random: inout SeededGenerator
  ) -> File {
    var content = file.durable
    guard survivors != .none else { return content }
    for (index, change) in file.pending.enumerated() {
      if survivors == .some, Bool.random(using: &random) { continue }
      if survivors == .tornWrite, index == file.pending.count - 1,
        case .write(let inode, let offset, let bytes)? = last,
        inode == file.inode
      {
        let count = Int.random(in: 0...(bytes.count / 512), using: &random) * 512
        content.make(.write(inode: inode, offset: offset, bytes.prefix(count)))
      } else {
        content.make(change)
      }
    }
    return content
  }
}

extension RecordedDisk.Change {
  /// Reads a recording; only the files directly in the folder count.
  static func all(in recording: Data, folder: String) -> [RecordedDisk.Change] {
    var changes: [RecordedDisk.Change] = []
    var rest = recording[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let fields = String(decoding: rest[..<end], as: UTF8.self).split(
        separator: "\t", omittingEmptySubsequences: false)
      let words = fields[0].split(separator: " ")
      rest = rest[(end + 1)...]
      guard words.count == 4, fields.count == 3, let inode = UInt64(words[1]), let value = Int(words[2]),
        let size = Int(words[3])
      else { preconditionFailure("not a recording: \(fields)") }
      let bytes = Data(rest.prefix(size))
      if size > 0 { rest = rest.dropFirst(size + 1) }
      let paths = fields.dropFirst().map(String.init)
      let names = paths.map { $0.hasPrefix(folder + "/") ? String($0.dropFirst(folder.count + 1)) : "" }
      if !paths[0].isEmpty, names[0].isEmpty || names[0].contains("/") { continue }
      switch words[0] {
      case "create": changes.append(.create(inode: inode, mode: value, name: names[0]))
      case "write": changes.append(.write(inode: inode, offset: value, bytes))
      case "truncate": changes.append(.truncate(inode: inode, size: value))
      case "mode": changes.append(.mode(inode: inode, value))
      case "sync": changes.append(.sync(inode: inode))
      case "rename": changes.append(.rename(names[0], to: names[1]))
      case "link": changes.append(.link(names[0], to: names[1]))
      case "unlink": changes.append(.unlink(names[0]))
      default: preconditionFailure("an unknown change: \(fields)")
      }
    }
    return changes
  }
}
