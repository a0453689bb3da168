internal import Foundation

/// The results as a table and as JSON.
struct Report: Encodable {
  var engine: String
  var rounds: Int
  var isQuick: Bool
  var results: [Result] = []

  private static let titleWidth = 46

  static var heading: String {
    "workload".padded(titleWidth) + "library ms".aligned(12) + "C ms".aligned(12) + "ratio".aligned(8)
      + "limit".aligned(8) + "MiB".aligned(8) + "C MiB".aligned(8)
  }

  static func line(_ result: Result) -> String {
    result.workload.padded(titleWidth) + result.milliseconds.text(2).aligned(12)
      + result.baselineMilliseconds.text(2).aligned(12) + result.ratio.text(2).aligned(8)
      + (result.limit?.text(2) ?? result.millisecondsLimit.map { "\($0.text(0))ms" } ?? "").aligned(8)
      + result.mebibytes.text(1).aligned(8)
      + result.baselineMebibytes.text(1).aligned(8) + (result.isOver ? "  over" : "")
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension Double {
  fileprivate func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }

  fileprivate func aligned(_ width: Int) -> String { String(repeating: " ", count: max(1, width - count)) + self }
}
