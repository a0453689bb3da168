import Foundation

/// Replaces what differs from run to run and from machine to machine.
enum Normalization {
  static func normalize(_ text: String, folder: String) -> String {
    var text = text.replacingOccurrences(of: folder, with: "<folder>")
    for (pattern, replacement) in patterns {
      text = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
    }
    return text
  }

  private static let patterns: [(String, String)] = [
    // The columns' widths follow the durations, so blanks before them are made equal too.
    (#" +\d+(\.\d+)? (ms|s)\b"#, " <duration>"),
    (#""durationInSeconds" : [0-9.e-]+"#, #""durationInSeconds" : <duration>"#),
    (#"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"#, "<time>"),
    (#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"#, "<time>"),
    (#"backup-\d{8}T\d{6}\.\d{3}Z(-\d+)?"#, "backup-<stamp>"),
    (#"\b20\d{12}_"#, "<stamp>_"),
    (#"\b20\d\d-\d\d-\d\d-\d{6}_"#, "<stamp>_"),
    (#"(\bmigrator |"version" : ")\d+\.\d+\.\d+"#, "$1<version>"),
    (#"SQLite \d+\.\d+\.\d+"#, "SQLite <version>"),
    (#"SQLCipher \d+\.\d+\.\d+( community)? \(SQLite <version>\)"#, "SQLCipher <version>"),
    // SQLCipher 3 and 4 have other words for the same.
    (#"\((file is encrypted or is not a database|file is not a database)\)"#, "(<not a database>)"),
  ]
}
