internal import Migrator

extension Diagram {
  /// The diagram for Mermaid (https://mermaid.js.org/syntax/entityRelationshipDiagram.html).
  var mermaid: String {
    var lines = ["erDiagram"]
    for table in tables {
      let name = Self.entity(table.name)
      guard !table.columns.isEmpty else {
        lines.append("    \(name)")
        continue
      }
      lines.append("    \(name) {")
      lines += table.columns.map { "        " + Self.attribute($0) }
      lines.append("    }")
    }
    for reference in references {
      let parent = reference.isOptional ? "|o" : "||"
      let child = reference.isUnique ? "o|" : "o{"
      lines.append(
        "    \(Self.entity(tables[reference.parent].name)) \(parent)--\(child) \(Self.entity(tables[reference.child].name)) : "
          + Self.quoted(reference.columns.joined(separator: ", ")))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func attribute(_ column: Column) -> String {
    let name = word(column.name)
    let notes = [name == column.name ? nil : column.name, column.isNullable ? nil : "not null"].compactMap(\.self)
    var parts = [column.type.isEmpty ? "any" : word(column.type), name]
    if !column.marks.isEmpty { parts.append(column.marks.joined(separator: ", ")) }
    if !notes.isEmpty, !column.isPrimaryKey || name != column.name {
      parts.append(quoted(notes.joined(separator: ", ")))
    }
    return parts.joined(separator: " ")
  }

  /// Returns a name in quotes, since Mermaid rejects unquoted names that are keywords.
  ///
  /// Replaces backslashes, percent signs and the empty name, which Mermaid does not allow even in quotes.
  private static func entity(_ name: String) -> String {
    let shown = name.oneLine.replacing("\\", with: "\u{FF3C}").replacing("%", with: "\u{FF05}")
    return quoted(shown.isEmpty ? "(no name)" : shown)
  }

  /// Returns a text in quotes; Mermaid cannot escape double quotes inside, so they are replaced by single quotes.
  private static func quoted(_ text: String) -> String { "\"" + text.oneLine.escaping(["\"": "'"]) + "\"" }

  /// Replaces the characters that Mermaid does not allow in the names and types of attributes.
  private static func word(_ text: String) -> String {
    let characters = text.replacing(", ", with: ",").map { isWordCharacter($0) || "()".contains($0) ? $0 : "_" }
    let word = String(characters)
    // The names of the key markers are keywords, in upper or lower case.
    let isMark = ["pk", "fk", "uk"].contains(word.prefix(while: isWordCharacter).lowercased())
    return !isMark && word.first.map { $0.isLetter || $0 == "_" } == true ? word : "_" + word
  }

  private static func isWordCharacter(_ character: Character) -> Bool {
    character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
  }
}
