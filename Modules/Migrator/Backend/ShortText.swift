/// The two words that a String of 1 to 15 ASCII bytes consists of.
///
/// Most text that programs read is short. The standard library makes such a string of bytes that it writes one by one, and
/// waits for them: a tenth of what a row of three columns takes. Where strings have this form is not guessed, see
/// ``isKnown``.
@usableFromInline
struct ShortText: Equatable {
  /// The first eight bytes.
  @usableFromInline let first: UInt64

  /// The bytes that are left, then a mark and the number of all bytes.
  @usableFromInline let rest: UInt64

  @inlinable
  init(first: UInt64, rest: UInt64) {
    self.first = first
    self.rest = rest
  }

  /// The form of a text, nil where it has another one: an empty one, a longer one, and one that is not ASCII.
  @inlinable
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    guard 1...15 ~= count, let start = bytes.baseAddress else { return nil }
    let source = UnsafeRawPointer(start)
    let first, rest: UInt64
    if count >= 8 {
      first = source.loadUnaligned(as: UInt64.self)
      // The last eight bytes, without those that came first.
      rest = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) >> (128 &- 8 &* count)
    } else {
      first = Self.word(source, count: count)
      rest = 0
    }
    guard (first | rest) & 0x8080_8080_8080_8080 == 0 else { return nil }
    self.init(first: first, rest: rest | UInt64(truncatingIfNeeded: 0xe0 | count) << 56)
  }

  /// One to seven bytes: two or three reads cover them all, and agree where they overlap.
  @inlinable
  static func word(_ source: UnsafeRawPointer, count: Int) -> UInt64 {
    func part<Part: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Part.Type) -> UInt64 {
      UInt64(truncatingIfNeeded: source.loadUnaligned(fromByteOffset: offset, as: Part.self)) << (8 &* offset)
    }
    guard count < 4 else { return part(0, UInt32.self) | part(count &- 4, UInt32.self) }
    return part(0, UInt8.self) | part(count / 2, UInt8.self) | part(count &- 1, UInt8.self)
  }

  /// The text; moved, since there is nothing to retain.
  @inlinable
  var string: String {
    var text = self
    return withUnsafeMutableBytes(of: &text) { $0.bindMemory(to: String.self).moveElement(from: 0) }
  }

  /// Whether strings have this form here.
  ///
  /// Read off what the compiler makes of literals: nothing is left of the comparison when it is through.
  @inlinable
  static var isKnown: Bool {
    MemoryLayout<String>.size == MemoryLayout<ShortText>.size
      && unsafeBitCast("0123", to: ShortText.self) == ShortText(first: 0x3332_3130, rest: 0xe400_0000_0000_0000)
      && unsafeBitCast("0123456789abcde", to: ShortText.self)
        == ShortText(first: 0x3736_3534_3332_3130, rest: 0xef65_6463_6261_3938)
  }
}

extension String {
  /// Copies text out of a statement's row.
  @inlinable
  package init(columnText bytes: UnsafeBufferPointer<UInt8>) {
    if ShortText.isKnown, let text = ShortText(bytes) {
      self = text.string
    } else {
      self.init(decoding: bytes, as: UTF8.self)
    }
  }
}
