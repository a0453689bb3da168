/// The tables and views that statements may name, as far as the names of columns are concerned.
package struct SQLRelations: Sendable {
  /// What a name stands for.
  package enum Relation: Sendable {
    /// A table with the names of its columns, in lower case and in their order; nil where they are not known.
    case table([String]?)
    /// A view.
    case view(SQLCreateView, SQLSource)
  }

  /// The tables and views by their names in lower case.
  package var named: [String: Relation]

  /// Makes a list of tables and views.
  package init(_ named: [String: Relation] = [:]) { self.named = named }
}

extension SQLTree {
  /// Whether the names of such a statement can be looked up: those of views, triggers and statements about rows.
  var hasResolvableNames: Bool {
    switch statement {
    case .createView, .createTrigger, .data: true
    default: false
    }
  }
}

/// The meaning of a name in a statement is not certain.
package struct SQLUncertainName: Error, Hashable, Sendable {
  /// The token, by its index in ``SQLSource/tokens``; nil when it is the statement as a whole.
  package let token: Int?

  /// Names the place.
  package init(token: Int?) { self.token = token }
}
