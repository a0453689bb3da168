#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The conversions that SQLite makes when a value is read as another type
/// (https://www.sqlite.org/c3ref/column_blob.html).
enum ValueConversion {
  /// Returns the integer at the start of a text; the nearest one if it is out of range, zero if there is none.
  static func integer(_ text: String) -> Int64 {
    let trimmed = text.utf8.drop { [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].contains($0) }
    let isNegative = trimmed.first == UInt8(ascii: "-")
    let digits = trimmed.dropFirst(isNegative || trimmed.first == UInt8(ascii: "+") ? 1 : 0)
      .prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return 0 }
    let number = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
    return Int64(number) ?? (isNegative ? .min : .max)
  }

  /// Returns the integer part of a number; the nearest integer if it is out of range.
  static func integer(_ real: Double) -> Int64 {
    if real >= 0x1p63 { return .max }
    return real <= -0x1p63 ? .min : Int64(real)
  }

  /// Returns the number at the start of a text; zero if there is none.
  static func real(_ text: String) -> Double {
    let bytes = Array(text.utf8.drop { [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].contains($0) })
    var end = 0
    func skipDigits() -> Int {
      let start = end
      while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
      return end - start
    }
    if end < bytes.count, [0x2b, 0x2d].contains(bytes[end]) { end += 1 }
    var count = skipDigits()
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      end += 1
      count += skipDigits()
    }
    guard count > 0 else { return 0 }
    let mantissa = end
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      end += 1
      if end < bytes.count, [0x2b, 0x2d].contains(bytes[end]) { end += 1 }
      if skipDigits() == 0 { end = mantissa }
    }
    return Double(String(decoding: bytes[..<end], as: UTF8.self)) ?? 0
  }

  /// Returns a number with 15 significant digits and always a decimal point (`%!.15g` of SQLite).
  static func text(_ real: Double) -> String {
    if real.isInfinite { return real < 0 ? "-Inf" : "Inf" }
    var buffer = [CChar](repeating: 0, count: 40)
    let count = buffer.count
    _ = withVaList([real]) { arguments in vsnprintf(&buffer, count, "%.15g", arguments) }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The locale of the process determines the decimal separator.
    let number = bytes.split { !Array("+-0123456789e".utf8).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    guard !number.contains(".") else { return number }
    let mantissa = number.prefix { $0 != "e" }
    return mantissa + ".0" + number.dropFirst(mantissa.count)
  }
}
