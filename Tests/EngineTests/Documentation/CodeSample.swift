import Foundation
import TestEngines

/// A piece of code in `Samples/`, `Tests/SampleApps` or `Tests/DqliteBackendTests` that a page shows.
///
/// It lies between two lines with the comments `sample` and `end of sample`; a file in `Samples/` without them is a sample
/// as a whole.
struct CodeSample {
  /// The location of the code, for messages.
  let place: String
  /// The code, unindented, with a newline at the end.
  let code: String
  /// Whether the code is that of a file without the comments.
  var isWholeFile = false

  /// Returns every sample.
  static func all() throws -> [CodeSample] {
    try samples(inFolder: "EngineTests/Documentation/Samples")
      + ["SampleApps", "DqliteBackendTests"].flatMap { try samples(inFolder: $0) }.filter { !$0.isWholeFile }
  }

  /// Returns the samples in the Swift and C files in a folder of the tests.
  private static func samples(inFolder folder: String) throws -> [CodeSample] {
    let folder = "\(BuiltEngines.packageRoot)/Tests/\(folder)"
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      [".swift", ".c", ".h"].contains { name.hasSuffix($0) }
    }
    return try names.sorted().flatMap { name in
      samples(in: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8), named: name)
    }
  }

  private static func samples(in text: String, named name: String) -> [CodeSample] {
    var samples: [CodeSample] = []
    var open: (line: Int, code: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      switch line.drop(while: { $0 == " " }) {
      case "// sample": open = (line: index + 1, code: [])
      case "// end of sample":
        if let sample = open {
          samples.append(CodeSample(place: "\(name):\(sample.line)", code: shiftedLeft(sample.code)))
        }
        open = nil
      default: open?.code.append(line)
      }
    }
    return samples.isEmpty ? [CodeSample(place: name, code: text, isWholeFile: true)] : samples
  }

  private static func shiftedLeft(_ lines: [Substring]) -> String {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) + "\n" }.joined()
  }
}
