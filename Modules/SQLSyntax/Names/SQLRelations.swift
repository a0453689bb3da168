/// The tables and views that statements may refer to, with the names of their columns.
package struct SQLRelations: Sendable {
  /// A table or a view.
  package enum Relation: Sendable {
    /// A table with the names of its columns, in lower case and in order; nil if the columns are unknown.
    case table([String]?)
    /// A view.
    case view(SQLCreateView, SQLSource)
  }

  /// The tables and views, by name in lower case.
  package var named: [String: Relation]

  /// Creates a collection of tables and views, which are given by name in lower case.
  package init(_ named: [String: Relation] = [:]) { self.named = named }
}

extension SQLTree {
  /// Whether names in the statement can be resolved: true for `CREATE VIEW`, `CREATE TRIGGER`, and statements that read
  /// or change rows.
  var hasResolvableNames: Bool {
    switch statement {
    case .createView, .createTrigger, .data: true
    default: false
    }
  }
}

/// The error thrown if the meaning of a name in a statement is uncertain.
package struct SQLUncertainName: Error, Sendable {
  /// The index of the name's token in ``SQLSource/tokens``; nil if the error concerns the whole statement.
  package let token: Int?

  /// Creates an error for the name at a token.
  package init(token: Int?) { self.token = token }
}
