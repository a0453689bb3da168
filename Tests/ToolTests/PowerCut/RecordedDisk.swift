import Foundation
import TestEngines

/// A folder on a simulated disk: the changes that a process made in it, and the part of them that it synced.
///
/// A content is durable once its file is synced, a name once its folder is; until then, a power failure may lose them.
/// The model is stricter than most file systems: syncing a file does not make its name durable. Like on file systems with
/// a journal, changes of names become durable in their order.
struct RecordedDisk {
  /// A file's content and permissions.
  private struct Content {
    var data = Data()
    var mode = 0o600

    mutating func make(_ change: RecordedChange) {
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

  private struct File {
    let inode: UInt64
    var durable: Content
    var pending: [RecordedChange] = []
  }

  /// A change of names that a file system makes in one step; nil removes a name.
  private typealias Naming = [(name: String, file: Int?)]

  private let folderInode: UInt64
  private var files: [File] = []
  /// The files by their current inode numbers, which are used again.
  private var byInode: [UInt64: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [Naming] = []

  /// Creates the disk with the files of a folder, all of them synced.
  init(_ folder: TemporaryFolder) throws {
    folderInode = try Self.inode(of: folder.path)
    for name in try folder.names() {
      let inode = try Self.inode(of: folder.file(name))
      let known = byInode[inode]
      durableNames[name] = known ?? files.count
      guard known == nil else { continue }
      byInode[inode] = files.count
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? NSNumber
      files.append(
        File(inode: inode, durable: Content(data: try folder.bytes(of: name), mode: mode?.intValue ?? 0o600)))
    }
  }

  private static func inode(of path: String) throws -> UInt64 {
    let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]
    return (number as? NSNumber)?.uint64Value ?? 0
  }

  private var names: [String: Int] {
    pendingNames.joined().reduce(into: durableNames) { names, change in names[change.name] = change.file }
  }

  /// Makes a change, which is not durable yet.
  mutating func make(_ change: RecordedChange) {
    switch change {
    case .create(let inode, let mode, let name):
      byInode[inode] = files.count
      pendingNames.append([(name, files.count)])
      files.append(File(inode: inode, durable: Content(mode: mode)))
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
    case .rename(let old, let new): pendingNames.append([(new, names[old]), (old, nil)])
    case .link(let old, let new): pendingNames.append([(new, names[old])])
    case .unlink(let name): pendingNames.append([(name, nil)])
    }
  }

  // MARK: Images

  /// The unsynced changes that survive a power failure.
  struct Survivors {
    enum Contents: CaseIterable { case none, all, any, torn }

    enum Names: CaseIterable { case none, all, first }

    /// The surviving changes of contents: `any` of them, with their last sectors missing or not; or all, but of the last
    /// write to each file only the first sectors (`torn`).
    var contents: Contents
    /// The surviving changes of names: `first` makes those before a random one.
    var names: Names

    static func random(_ random: inout SeededGenerator) -> Survivors {
      Survivors(
        contents: Contents.allCases.randomElement(using: &random) ?? .none,
        names: Names.allCases.randomElement(using: &random) ?? .none)
    }
  }

  /// Writes the files that a power failure leaves into an empty folder.
  func writeImage(_ survivors: Survivors, into folder: TemporaryFolder, _ random: inout SeededGenerator) throws {
    var names = durableNames
    let count =
      switch survivors.names {
      case .none: 0
      case .all: pendingNames.count
      case .first: Int.random(in: 0...pendingNames.count, using: &random)
      }
    for change in pendingNames.prefix(count).joined() { names[change.name] = change.file }
    var written: [Int: String] = [:]
    var inodes: [UInt64: UInt64] = [:]
    // The claims of conversions, written last, contain the inode numbers of the other files, which are new here.
    let order = names.keys.filter { !Self.isClaim($0) }.sorted() + names.keys.filter(Self.isClaim)
    for name in order {
      guard let file = names[name] else { continue }
      if let first = written.updateValue(name, forKey: file) {
        try FileManager.default.linkItem(atPath: folder.file(first), toPath: folder.file(name))
        continue
      }
      let content = content(files[file], survivors.contents, &random)
      try folder.write(Self.isClaim(name) ? Self.claim(content.data, inodes) : content.data, to: name)
      try FileManager.default.setAttributes([.posixPermissions: content.mode], ofItemAtPath: folder.file(name))
      inodes[files[file].inode] = try Self.inode(of: folder.file(name))
    }
  }

  private static func isClaim(_ name: String) -> Bool { name.hasSuffix("-converting-claim") }

  private static func claim(_ data: Data, _ inodes: [UInt64: UInt64]) -> Data {
    let tokens = String(decoding: data, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    let changed = tokens.map { token -> String in
      let digits = token.prefix { $0.isNumber }
      guard let inode = UInt64(digits).flatMap({ inodes[$0] }) else { return String(token) }
      return "\(inode)" + token.dropFirst(digits.count)
    }
    return Data(changed.joined(separator: " ").utf8)
  }

  private func content(_ file: File, _ survivors: Survivors.Contents, _ random: inout SeededGenerator) -> Content {
    var content = file.durable
    guard survivors != .none else { return content }
    let last = file.pending.lastIndex { if case .write = $0 { true } else { false } }
    for (index, change) in file.pending.enumerated() {
      if survivors == .any, Bool.random(using: &random) { continue }
      let isTorn = survivors == .torn ? index == last : survivors == .any && Bool.random(using: &random)
      if isTorn, case .write(let inode, let offset, let bytes) = change {
        let sectors = Int.random(in: 0...(bytes.count / 512), using: &random)
        content.make(.write(inode: inode, offset: offset, bytes.prefix(sectors * 512)))
      } else {
        content.make(change)
      }
    }
    return content
  }
}
