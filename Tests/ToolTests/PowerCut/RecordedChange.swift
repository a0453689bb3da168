import Foundation
import Testing

/// A change of a file by a process, as the library in `Tests/Faults/` records it.
enum RecordedChange {
  case create(inode: UInt64, mode: Int, name: String)
  case write(inode: UInt64, offset: Int, Data)
  case truncate(inode: UInt64, size: Int)
  case mode(inode: UInt64, Int)
  case sync(inode: UInt64)
  case rename(String, to: String)
  case link(String, to: String)
  case unlink(String)

  /// Reads a recording; only the files directly in the folder count.
  static func all(in recording: Data, folder: String) throws -> [RecordedChange] {
    var changes: [RecordedChange] = []
    var rest = recording[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let fields = String(decoding: rest[..<end], as: UTF8.self).split(
        separator: "\t", omittingEmptySubsequences: false)
      let numbers = fields[0].split(separator: " ").dropFirst().compactMap { UInt64($0) }
      rest = rest[(end + 1)...]
      try #require(fields.count == 3 && numbers.count == 3, "\(fields) is no change. Run Tools/setup --tests.")
      let bytes = Data(rest.prefix(Int(numbers[2])))
      if !bytes.isEmpty { rest = rest.dropFirst(bytes.count + 1) }
      let names = fields.dropFirst().map { $0.hasPrefix(folder + "/") ? String($0.dropFirst(folder.count + 1)) : "" }
      guard fields[1].isEmpty || !names[0].isEmpty && !names[0].contains("/") else { continue }
      let kind = String(fields[0].prefix { $0 != " " })
      changes.append(change(kind, inode: numbers[0], Int(numbers[1]), bytes, names))
    }
    return changes
  }

  private static func change(
    _ kind: String, inode: UInt64, _ value: Int, _ bytes: Data, _ names: [String]
  ) -> RecordedChange {
    switch kind {
    case "create": .create(inode: inode, mode: value, name: names[0])
    case "write": .write(inode: inode, offset: value, bytes)
    case "truncate": .truncate(inode: inode, size: value)
    case "mode": .mode(inode: inode, value)
    case "sync": .sync(inode: inode)
    case "rename": .rename(names[0], to: names[1])
    case "link": .link(names[0], to: names[1])
    case "unlink": .unlink(names[0])
    default: preconditionFailure("an unknown change: \(kind)")
    }
  }
}

extension RecordedChange: CustomStringConvertible {
  var description: String {
    switch self {
    case .write(let inode, let offset, let bytes): "write \(inode) at \(offset): \(bytes.count) bytes"
    case .create(let inode, let mode, let name): "create \(inode) \(String(mode, radix: 8)) \(name)"
    case .truncate(let inode, let size): "truncate \(inode) to \(size)"
    case .mode(let inode, let mode): "mode \(inode) \(String(mode, radix: 8))"
    case .sync(let inode): "sync \(inode)"
    case .rename(let old, let new): "rename \(old) to \(new)"
    case .link(let old, let new): "link \(old) to \(new)"
    case .unlink(let name): "unlink \(name)"
    }
  }
}
