/// The tables and views that statements may refer to, with the names of their columns.
package struct SQLRelations: Sendable {
  /// The object with a name.
  package enum Relation: Sendable {
    /// A table with the names of its columns, in lower case and in order; nil if they are unknown.
    case table([String]?)
    /// A view.
    case view(SQLCreateView, SQLSource)
  }

  /// The tables and views by their names in lower case.
  package var named: [String: Relation]

  /// Creates a list of tables and views.
  package init(_ named: [String: Relation] = [:]) { self.named = named }
}

extension SQLTree {
  /// Whether the names in a statement of this kind can be resolved: true for views, triggers and statements about rows.
  var hasResolvableNames: Bool {
    switch statement {
    case .createView, .createTrigger, .data: true
    default: false
    }
  }
}

/// A name in a statement has an uncertain meaning.
package struct SQLUncertainName: Error, Hashable, Sendable {
  /// The token, by its index in ``SQLSource/tokens``; nil for the statement as a whole.
  package let token: Int?

  /// Creates an error at a token.
  package init(token: Int?) { self.token = token }
}
