import SQLSyntax

extension OddChange {
  /// Returns the steps for a new name or a dropped column of a created table, edited as text; none if the definition has
  /// the name at more than one place.
  func renamingSteps(_ table: Table) -> Reference {
    let newName = Self.newName.quotedIdentifier
    switch self {
    case .renameTable:
      // A generated definition has its name already, and perhaps another word "name". References to an empty name change,
      // too.
      guard table.name != "t1", !table.name.isEmpty, table.listsColumns, table.template.contains("NAME"),
        let place = table.place(of: "name")
      else { return .nothing }
      return .renamingSteps(table.template(replacing: place, with: newName), table.renamed(name: Self.newName))
    case .renameFirst, .renameLast:
      let old = self == .renameFirst ? table.first : table.last
      guard table.name != "t1", table.listsColumns, let place = table.place(of: old) else { return .nothing }
      let columns = table.columns.map { $0 == old ? Self.newName : $0 }
      return .renamingSteps(table.template(replacing: place, with: newName), table.renamed(columns: columns))
    case .dropFirst, .dropLast:
      let dropped = self == .dropFirst ? table.first : table.last
      guard table.name != "t1", table.listsColumns, table.columns.count > 1, table.place(of: dropped) != nil else {
        return .nothing
      }
      let parts: (Substring, Substring, Substring)?
      if self == .dropFirst {
        parts = table.template.wholeMatch(of: /(CREATE [^(]*\()([a-z]+[^,()]*, )(.*)/).map { ($0.1, $0.2, $0.3) }
      } else {
        parts = table.template.wholeMatch(of: /(CREATE .*)(, [a-z]+[^,()]*)(\))/).map { ($0.1, $0.2, $0.3) }
      }
      // SQLite does not drop the columns of a key.
      guard let parts, !parts.1.uppercased().contains("UNIQUE"), !parts.1.uppercased().contains("PRIMARY"),
        parts.1.contains(dropped)
      else { return .nothing }
      return .steps(String(parts.0 + parts.2))
    default: return .nothing
    }
  }
}

extension OddChange.Table {
  /// Whether the definition names each of its columns, and computes none of them.
  fileprivate var listsColumns: Bool { !template.uppercased().contains(" AS ") }

  /// Returns the only place of a word in the template; nil if it is quoted, or at several places or none.
  fileprivate func place(of name: String) -> Range<String.Index>? {
    let places = template.matches(of: /[A-Za-z0-9_]+/).filter { $0.output.lowercased() == name.lowercased() }
    guard places.count == 1, let place = places.first?.range, place.lowerBound > template.startIndex else { return nil }
    let isQuoted = "\"'`[".contains(template[template.index(before: place.lowerBound)])
    return isQuoted ? nil : place
  }

  fileprivate func template(replacing place: Range<String.Index>, with text: String) -> String {
    var template = template
    // Two names in quotes would be one.
    template.replaceSubrange(place, with: text + " ")
    return template
  }

  fileprivate func renamed(name: String? = nil, columns: [String]? = nil) -> OddChange.Table {
    OddChange.Table(
      name: name ?? self.name, isTemporary: isTemporary, columns: columns ?? self.columns, template: template,
      type: type,
      defaultValue: defaultValue, isNotNull: isNotNull)
  }
}
