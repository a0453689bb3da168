#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Turns reports into JSON.
enum JSONText {
  /// The report as one object with sorted keys, so that equal reports are equal text.
  static func encode(_ report: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Reports hold strings, finite numbers and booleans only, which JSON can always say.
    guard let data = try? encoder.encode(report) else { return #"{"format": 1}"# }
    return String(decoding: data, as: UTF8.self)
  }
}
