import Foundation

/// Replaces text that differs between runs and machines.
enum Normalization {
  static func normalize(_ text: String, folder: String) -> String {
    var text = text.replacingOccurrences(of: folder, with: "<folder>")
    for (pattern, replacement) in patterns {
      text = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
    }
    return text
  }

  private static let patterns: [(String, String)] = [
    // The widths of columns depend on the durations, so normalize the spaces before them, too.
    (#" +\d+(\.\d+)? (ms|s)\b"#, " <duration>"),
    (#""durationInSeconds"( ?): ?[0-9.e-]+"#, #""durationInSeconds"$1:$1<duration>"#),
    (#"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"#, "<time>"),
    (#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"#, "<time>"),
    (#"backup-\d{8}T\d{6}\.\d{3}Z(-\d+)?"#, "backup-<stamp>"),
    (#"\b[0-9a-f]{16}-[0-9a-f]{12}\b"#, "<token>"),
    (#"\b20\d{12}_"#, "<stamp>_"),
    (#"\b20\d\d-\d\d-\d\d-\d{6}_"#, "<stamp>_"),
    (#"(\bmigrator |"version" : ")\d+\.\d+\.\d+"#, "$1<version>"),
    (#"SQLite \d+\.\d+\.\d+"#, "SQLite <version>"),
    (#"SQLCipher \d+\.\d+\.\d+( community)? \(SQLite <version>\)"#, "SQLCipher <version>"),
    // SQLCipher 3 and 4 have different messages for the same error.
    (#"\((file is encrypted or is not a database|file is not a database)\)"#, "(<not a database>)"),
  ]
}
