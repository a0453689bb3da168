internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension OptionSpecification {
  static let findingFormat = OptionSpecification(
    name: "format", placeholder: "text|sarif|github",
    help: "print findings as text, as SARIF 2.1.0, or as annotations of GitHub workflows; default: text",
    allowedValues: ["text", "sarif", "github"])
}

/// A finding in the form that code hosts show beside the source.
struct Annotation {
  var rule: String
  /// The path of the file; nil if the finding concerns no file.
  var path: String?
  var position: SQLTextPosition?
  var message: String
  /// The author's reason for allowing the finding; nil if it is not allowed.
  var allowedFor: String?

  init(rule: String, path: String?, message: String) { (self.rule, self.path, self.message) = (rule, path, message) }

  init(_ finding: LintFinding) {
    (rule, path, position) = (finding.rule.name, finding.path, finding.position)
    message = "\(finding.reason.asSentence) \(finding.remedy)"
    allowedFor = finding.allowedFor
  }
}

extension Annotation {
  init(_ failure: ToolFailure, rule: String) {
    let reasons = failure.why.isEmpty ? "" : ": " + failure.why.joined(separator: "; ")
    self.init(rule: rule, path: failure.place?.path, message: "\(failure.what)\(reasons). \(failure.remedy ?? "")")
    position = failure.place?.line.map { SQLTextPosition(line: $0, column: failure.place?.column ?? 1) }
  }
}

/// A report that prints annotations in the format that `--format` names.
struct AnnotationReport {
  let context: CommandContext
  let annotations: [Annotation]
  /// The checks besides the rules of lint, by name and description.
  var checks: [(name: String, summary: String)] = []
  let summary: String

  /// Prints the report in the requested format; returns false if no format was requested.
  ///
  /// If the result is false, the command should print its usual text.
  func print() throws(ToolFailure) -> Bool {
    let format = context.arguments.value(of: .findingFormat) ?? "text"
    guard format != "text" else { return false }
    guard !context.output.isJSON else {
      throw .usage("--json and --format \(format) contradict each other", remedy: "Omit one of the two.")
    }
    if format == "sarif" {
      context.output.document(sarif)
    } else {
      for annotation in annotations where annotation.allowedFor == nil { context.output.result(command(annotation)) }
      context.output.line(summary)
    }
    return true
  }

  // MARK: GitHub

  /// Returns an annotation as a command for GitHub's workflows
  /// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
  private func command(_ annotation: Annotation) -> String {
    var properties: [(String, String)] = []
    if let path = annotation.path { properties.append(("file", place(path))) }
    if let position = annotation.position {
      properties += [("line", "\(position.line)"), ("col", "\(position.column)")]
    }
    properties.append(("title", annotation.rule))
    let list = properties.map { "\($0)=\(Self.escaped($1).escaping([":": "%3A", ",": "%2C"]))" }
    return "::error \(list.joined(separator: ","))::\(Self.escaped(annotation.message))"
  }

  private static func escaped(_ text: String) -> String {
    text.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"]).harmless()
  }

  /// Returns a path relative to the repository, since a workflow may run in a subfolder.
  private func place(_ path: String) -> String {
    guard let workspace = context.output.environment.variable("GITHUB_WORKSPACE"), !path.hasPrefix("/") else {
      return path
    }
    let root = FileSystem.resolve(workspace).path + "/"
    let here = FileSystem.resolve(".").path
    let whole = URL(filePath: FileSystem.join(here, path)).standardized.path(percentEncoded: false)
    return whole.hasPrefix(root) ? String(whole.dropFirst(root.count)) : path
  }

  // MARK: SARIF

  /// The report as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
  private var sarif: SARIF {
    let rules =
      LintRule.all.map {
        SARIF.Rule(id: $0.name, shortDescription: ["text": $0.summary], fullDescription: ["text": $0.details])
      } + checks.map { SARIF.Rule(id: $0.name, shortDescription: ["text": $0.summary]) }
    let driver = SARIF.Driver(name: context.toolName, version: context.tool.version, rules: rules)
    return SARIF(runs: [SARIF.Run(tool: ["driver": driver], results: annotations.map(result))])
  }

  private func result(_ annotation: Annotation) -> SARIF.Result {
    let location = annotation.path.map { path in
      SARIF.Location(
        artifactLocation: ["uri": URL(filePath: place(path)).relativeString],
        region: annotation.position.map { ["startLine": $0.line, "startColumn": $0.column] })
    }
    return SARIF.Result(
      ruleId: annotation.rule, message: ["text": annotation.message],
      locations: [location].compactMap(\.self).map { ["physicalLocation": $0] },
      suppressions: annotation.allowedFor.map { [["kind": "inSource", "justification": $0]] })
  }
}

/// The parts of SARIF that the tool writes; objects whose members have one type are dictionaries.
private struct SARIF: Encodable {
  struct Rule: Encodable {
    var id: String
    var shortDescription: [String: String]
    var fullDescription: [String: String]?
  }

  struct Driver: Encodable {
    var name: String
    var version: String
    var rules: [Rule]
  }

  struct Location: Encodable {
    var artifactLocation: [String: String]
    var region: [String: Int]?
  }

  struct Result: Encodable {
    var ruleId: String
    var level = "error"
    var message: [String: String]
    var locations: [[String: Location]]
    /// The reason for allowing the finding; nil for a finding that is not allowed.
    var suppressions: [[String: String]]?
  }

  struct Run: Encodable {
    var tool: [String: Driver]
    /// The unit in which columns are counted: Unicode scalars.
    var columnKind = "unicodeCodePoints"
    var results: [Result]
  }

  var schema = "https://json.schemastore.org/sarif-2.1.0.json"
  var version = "2.1.0"
  var runs: [Run]

  private enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case version, runs
  }
}
