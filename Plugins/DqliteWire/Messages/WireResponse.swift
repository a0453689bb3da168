/// The answer of a node to a request.
package enum WireResponse {
  /// The address of the leader; empty if the node does not know it.
  case leader(String)
  /// The nodes of the cluster.
  case nodes([WireNode])
  /// The database is open.
  case opened
  /// The statements have run; the last inserted rowid of the connection, and the rows that the last statement changed.
  case result(lastRowID: Int64, changes: Int64)
  /// A part of the rows of a query.
  case rows(WireRows)
  /// The request was carried out.
  case done
  /// The files of a database by name.
  case files([String: [UInt8]])

  /// Reads an answer; throws ``WireError/failure(code:message:)`` if the request failed.
  init(type: UInt8, _ body: WireBody) throws(WireError) {
    var reader = WireReader(body)
    switch type {
    case 0: throw Self.failure(body)
    case 1:
      _ = try reader.unsigned()
      self = .leader(body.text(try reader.text()))
    case 3:
      var nodes: [WireNode] = []
      for _ in 0..<(try reader.count()) {
        let id = try reader.unsigned()
        let address = body.text(try reader.text())
        nodes.append(WireNode(id: id, address: address, role: WireNode.Role(rawValue: try reader.unsigned())))
      }
      self = .nodes(nodes)
    case 4: self = .opened
    case 6: self = .result(lastRowID: try reader.signed(), changes: try reader.signed())
    case 7: self = .rows(try WireRows(&reader))
    case 8: self = .done
    case 9:
      var files: [String: [UInt8]] = [:]
      for _ in 0..<(try reader.count()) {
        let name = body.text(try reader.text())
        let count = try reader.count()
        files[name] = Array(body.bytes[try reader.bytes(count)])
      }
      self = .files(files)
    default: throw WireError.malformed("an answer of the unknown type \(type)")
    }
  }

  /// Reads a failure from its end: the body of a query that fails after its first row begins with rows.
  ///
  /// The last word of the body contains the NUL of the message. No other word of the message contains a zero byte, and
  /// the code before the message always does.
  private static func failure(_ body: WireBody) -> WireError {
    let bytes = body.bytes
    var offset = bytes.count - 16
    while offset > 0, !bytes[offset..<offset + 8].contains(0) { offset -= 8 }
    guard offset >= 0 else { return .malformed("a failure without a code") }
    let code = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let message = String(decoding: bytes[(offset + 8)...].prefix { $0 != 0 }, as: UTF8.self)
    // A node of version 1.18.7 that finds a lock while it compiles a statement complains of a second statement instead; the
    // backend sends one at a time.
    if code == 1, message == "nonempty statement tail" { return .failure(code: 5, message: "database is locked") }
    return .failure(code: Int(truncatingIfNeeded: code), message: message)
  }
}

/// A message with rows of a query.
package struct WireRows {
  /// A value in a row; the ranges refer to ``WireRows/body``.
  package enum Value: Hashable, Sendable {
    /// The absence of a value.
    case null
    /// A signed integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// The UTF-8 of text, up to its first NUL.
    case text(Range<Int>)
    /// Bytes.
    case blob(Range<Int>)
  }

  /// The bytes to which the values refer.
  package let body: WireBody
  /// The names of the columns.
  package let columns: [String]
  /// The values of all rows, one row after another.
  package let values: [Value]
  /// The number of rows.
  package let count: Int
  /// Whether no message with more rows follows.
  package let isLast: Bool

  private static let partMark: UInt64 = 0xeeee_eeee_eeee_eeee
  private static let endMark: UInt64 = 0xffff_ffff_ffff_ffff

  init(_ reader: inout WireReader) throws(WireError) {
    body = reader.body
    let width = try reader.count()
    var columns: [String] = []
    for _ in 0..<width { columns.append(body.text(try reader.text())) }
    self.columns = columns
    var (values, count): ([Value], Int) = ([], 0)
    while let word = reader.nextWord {
      // No kinds of a row look like a mark: the numbers 14 and 15 are not used.
      if word == Self.endMark || word == Self.partMark {
        (self.values, self.count, isLast) = (values, count, word == Self.endMark)
        return
      }
      guard width > 0 else { throw WireError.malformed("a row without columns") }
      try Self.readRow(&reader, width: width, into: &values)
      count += 1
    }
    throw WireError.malformed("the rows have no end")
  }

  private static func readRow(
    _ reader: inout WireReader, width: Int, into values: inout [Value]
  ) throws(WireError) {
    let kinds = try reader.bytes((width + 15) / 16 * 8)
    for column in 0..<width {
      let pair = reader.body.bytes[kinds.lowerBound + column / 2]
      switch WireKind(rawValue: column % 2 == 0 ? pair & 15 : pair >> 4) {
      case .integer, .unixTime, .boolean: values.append(.integer(try reader.signed()))
      case .real: values.append(.real(Double(bitPattern: try reader.unsigned())))
      case .text, .isoTime: values.append(.text(try reader.text()))
      case .blob: values.append(.blob(try reader.blob()))
      case .null:
        _ = try reader.unsigned()
        values.append(.null)
      case nil: throw WireError.malformed("a value of an unknown kind")
      }
    }
  }
}
