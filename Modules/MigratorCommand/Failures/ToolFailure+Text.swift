internal import Migrator
internal import SQLMigrations

extension ToolFailure {
  /// The failure as people read it: what, where, why, what was rolled back, what to do next.
  ///
  /// - Parameter width: The columns of the terminal, to wrap long lines; nil leaves them long, for programs that read.
  func text(style: Style, width: Int? = nil) -> String {
    let before = parts.map { $0.text(style: style, width: width) }.joined()
    let head = namedPath.map { "\($0): \(what)" } ?? what
    var lines = [style("error:", .bad) + " " + style(head, .strong)]
    if let place, namedPath == nil { lines += Self.lines(of: place, style: style, width) }
    for (index, reason) in why.enumerated() { lines += Self.labelled(index == 0 ? "why: " : "     ", reason, width) }
    if let rolledBack { lines += Self.labelled("rolled back: ", rolledBack, width) }
    if let remedy { lines += Self.labelled("next: ", remedy, width) }
    return before + lines.joined(separator: "\n") + "\n"
  }

  /// The file or folder that as a whole cannot be used, which is named before the reason; nil for places inside a file.
  private var namedPath: String? {
    guard exitCode == .usage, let place, place.line == nil else { return nil }
    return place.path
  }

  /// A label and its text, of which each further line stands below the first.
  static func labelled(_ label: String, _ text: String, _ width: Int?) -> [String] {
    let texts = text.split(separator: "\n").flatMap { line in
      width.map { wrapped(String(line), columns: max(20, $0 - label.count - 2)) } ?? [String(line)]
    }
    let indentation = String(repeating: " ", count: label.count)
    return texts.enumerated().map { index, line in "  " + (index == 0 ? label : indentation) + line }
  }

  private static func lines(of place: Place, style: Style, _ width: Int?) -> [String] {
    var head = "  " + style("-->", .faint) + " " + place.description
    if let statement = place.statement, statement.count > 1 {
      head += " (statement \(statement.number) of \(statement.count))"
    }
    guard let number = place.line, let text = place.text else { return [head] }
    return [head] + SourceFrame(line: number, column: place.column, text: text).lines(style: style, width: width)
  }
}

extension ToolFailure.Place {
  /// The place at which a statement of a file failed.
  init(_ error: MigrationFile.StatementError) {
    let position = error.position
    self.init(
      path: error.file.path, line: position.line, column: position.column,
      text: ScriptFile.line(position.line, of: error.file.text),
      statement: (error.index + 1, error.file.statements.count))
  }
}

extension ToolFailure.Place: CustomStringConvertible {
  /// The place as editors understand it: "path:line:column".
  package var description: String {
    [path, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
  }
}
