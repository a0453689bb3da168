/// Writes the fields of a message's body: little-endian, in words of eight bytes.
package struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes a word.
  package mutating func write(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }

  /// Writes UTF-8 with a NUL at its end.
  package mutating func write(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
    pad()
  }

  /// Writes the number of at most ``WireRequest/mostParameters`` parameters, their kinds, and their values; nothing if
  /// there are none.
  mutating func write(_ values: [WireValue]) {
    guard !values.isEmpty else { return }
    precondition(values.count <= WireRequest.mostParameters, "A request has one byte for the number of parameters")
    bytes.append(UInt8(values.count))
    for value in values { bytes.append(value.kind.rawValue) }
    pad()
    for value in values { write(value) }
  }

  private mutating func write(_ value: WireValue) {
    switch value {
    case .null: write(0 as UInt64)
    case .integer(let number): write(UInt64(bitPattern: number))
    case .real(let number): write(number.bitPattern)
    case .text(let text): write(text)
    case .blob(let blob):
      write(UInt64(blob.count))
      bytes.append(contentsOf: blob)
      pad()
    }
  }

  private mutating func pad() {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }
}
