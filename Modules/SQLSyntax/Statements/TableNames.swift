/// The tables of the main schema before some statements, which are followed through these by their names.
///
/// A table that takes the name of a dropped or emptied one stands for it, because it usually has its rows. A temporary table
/// hides the one of its name (https://www.sqlite.org/lang_naming.html). Only the text of the statements is known, and not
/// whether they succeed.
package struct TableNames: Sendable {
  /// The names of tables; keys are in ASCII lower case.
  private struct Course {
    /// The original names of the tables that are left, by their current names.
    var remaining: [String: String]
    /// The original names of the tables that were dropped or emptied, by these and by the last names of those that were dropped.
    var dropped: [String: String] = [:]
    /// The names of the tables that the statements have created.
    var created: Set<String> = []
    var temporary: Set<String> = []
  }

  /// The names under which earlier rows were known at the beginning of the statements, or of a migration since then; keys are in
  /// ASCII lower case.
  private var known: [String: String]
  private var course: Course
  private var savepoints = SQLSavepoints<Course>()

  /// Creates a record of tables.
  package init(_ tables: some Sequence<String>) {
    known = Dictionary(tables.map { ($0.asciiLowercased, $0) }) { first, _ in first }
    course = Course(remaining: known)
  }

  /// The original names of the tables that were not dropped, by their current names in ASCII lower case.
  package var remaining: [String: String] { course.remaining }

  /// The original names of the tables that were dropped or emptied, by the names in ASCII lower case under which another table
  /// stands for them.
  package var dropped: [String: String] { course.dropped }

  /// The names of the tables that the statements have created and not dropped, in ASCII lower case.
  package var created: Set<String> { course.created }

  /// Returns whether one of the original tables, or of those that the statements have created, has a name now.
  package func contains(_ name: String) -> Bool {
    created.contains(name.asciiLowercased) || remaining[name.asciiLowercased] != nil
  }

  /// Returns the original name of the table that a name refers to; nil for a new, a temporary and an unknown table.
  ///
  /// - Parameter isQualified: Whether the name has the schema `main`, so that no temporary table hides the table.
  package func original(of name: String, isQualified: Bool = false) -> String? {
    let name = name.asciiLowercased
    if !isQualified, course.temporary.contains(name) { return nil }
    return course.remaining[name] ?? course.dropped[name]
  }

  /// Returns whether the statements have created a table, so that it has no earlier rows.
  package func isNew(_ name: String) -> Bool {
    let name = name.asciiLowercased
    return course.temporary.contains(name) || course.created.contains(name) && course.dropped[name] == nil
  }

  /// Returns whether a statement has its effect on a temporary table.
  package func concernsTemporary(_ statement: SQLStatementSummary) -> Bool {
    if statement.temporaryEffect != .none { return true }
    // The name of a new table without TEMP is one of the main schema.
    if case .createTable = statement.effect { return false }
    let isHidden = statement.effect.table.map { course.temporary.contains($0.asciiLowercased) } ?? false
    return isHidden && !statement.namesMainSchema
  }

  /// Follows a statement that runs, or undoes the statements that it rolls back.
  package mutating func follow(_ statement: SQLStatementSummary) {
    savepoints.follow(statement.kind, statement.sql, &course)
    follow(statement.tableEffect, isTemporary: concernsTemporary(statement))
  }

  /// Follows the effect of a statement.
  ///
  /// - Parameter isTemporary: Whether the table is a temporary one.
  package mutating func follow(_ effect: SQLStatementEffect, isTemporary: Bool = false) {
    switch effect {
    case .createTable(let table):
      let name = table.asciiLowercased
      if isTemporary { course.temporary.insert(name) } else if remaining[name] == nil { course.created.insert(name) }
    case .dropTable(let table):
      let name = table.asciiLowercased
      if isTemporary { course.temporary.remove(name) } else { drop(name) }
    case .renameTable(let table, let newName):
      let (old, new) = (table.asciiLowercased, newName.asciiLowercased)
      if isTemporary {
        if course.temporary.remove(old) != nil { course.temporary.insert(new) }
      } else if let original = course.remaining.removeValue(forKey: old) {
        course.remaining[new] = original
      } else if course.created.remove(old) != nil {
        rename(created: old, to: new)
      }
    case .deleteAllRows(let table) where !isTemporary:
      if let original = remaining[table.asciiLowercased] { course.dropped[original.asciiLowercased] = original }
    default: break
    }
  }

  private mutating func rename(created old: String, to new: String) {
    guard let original = course.dropped[old] else {
      course.created.insert(new)
      return
    }
    course.dropped = course.dropped.filter { $1 != original }
    course.remaining[new] = original
  }

  private mutating func drop(_ name: String) {
    course.created.remove(name)
    guard let original = course.remaining.removeValue(forKey: name) else { return }
    (course.dropped[original.asciiLowercased], course.dropped[name]) = (original, original)
  }

  /// Begins a migration: the tables that have a known name now are the original ones, and no temporary table is left.
  package mutating func restart() {
    let successors = course.dropped.keys.filter(course.created.contains)
    known.merge((remaining.keys + successors).map { ($0, $0) }) { first, _ in first }
    course = Course(
      remaining: known.filter { contains($0.key) },
      // Not copied for each of many migrations.
      created: known.isEmpty ? created : created.filter { known[$0] == nil })
  }
}
