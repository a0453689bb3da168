internal import SQLSyntax

/// A table that a migration leaves without some of the rows that it had before, or drops without a way to count them, or a
/// column whose values it does not keep.
package struct RowLoss: Sendable, Equatable {
  /// The identifier of the migration.
  package let migration: String
  /// The name of the table before the migration.
  package let table: String
  /// The column whose values are lost, at least ``before`` of them, with the column or with the table from which the rows
  /// were copied; nil if rows are lost.
  package internal(set) var column: String?
  /// The number of rows before the migration, or of lost values of the column; nil if they cannot be counted.
  package internal(set) var before: Int?
  /// The number of these rows, or of these values, that are there after the migration; nil if the table or the column is
  /// gone, or if they cannot be counted.
  package internal(set) var after: Int?
  /// The first statement that touched the table, or the one that drops the column; nil if it is not known.
  package let statement: StatementOccurrence?

  /// The number of removed rows; nil if they cannot be counted.
  package var removedCount: Int? { before.map { $0 - (after ?? 0) } }

  /// A clause about the loss.
  package var summary: String {
    if let column {
      let values =
        before.map { "loses at least \(counted($0, "value"))" } ?? "may lose values, which cannot be counted,"
      return "migration \"\(migration)\" \(values) of column \"\(column)\" of table \"\(table)\""
    }
    guard let before else {
      return "migration \"\(migration)\" may remove rows of table \"\(table)\", which cannot be counted"
    }
    let rows = counted(before, "row")
    guard let after else { return "migration \"\(migration)\" drops table \"\(table)\" with \(rows)" }
    return "migration \"\(migration)\" removes \(before - after) of the \(rows) of table \"\(table)\""
  }
}

/// A statement of a migration, in which others may have the same text.
package struct StatementOccurrence: Sendable, Hashable {
  /// The text of the statement.
  package let sql: String
  /// The number of statements with the same text that have run before.
  package let precedingCount: Int
}

/// A place or an expression in which a migration is meant to keep the values of a column.
package enum ValueKeeper: Sendable, Hashable {
  /// A table of the main schema or a temporary one, which hides another table of its name.
  package struct Table: Sendable, Hashable {
    /// The name.
    package let name: String
    /// Whether the table is temporary.
    package let isTemporary: Bool
    /// The table in a FROM clause.
    package var sql: String { "\(isTemporary ? "temp" : "main").\(name.quotedIdentifier)" }

    /// Creates the reference to a table.
    package init(_ name: String, isTemporary: Bool) { (self.name, self.isTemporary) = (name, isTemporary) }
  }

  /// A column of a table.
  package enum Place: Sendable, Hashable {
    /// The column of this name.
    case named(String)
    /// The column at this position, from 0.
    case position(Int)
    /// The column with the same name or, without one, any column.
    case same
    /// Any column.
    case any
  }

  /// The column is copied to each row of the table that replaces its own, whose rows are counted; `isWhole` is whether their
  /// number shows that all are there.
  case rows(Place, table: Table, isWhole: Bool)
  /// Each value is also in a column of a table; `isWhole` is whether all are there if the table has as many rows. Without a
  /// link to the rows from which they come, equal values are not kept by fewer ones. Columns that the same rows receive as they
  /// are, by their names, show which value is of which row.
  case column(Place, table: Table, isWhole: Bool, isLinked: Bool, beside: [String: Place] = [:])
  /// The values follow from this expression over the same row, unless a condition on the row is true, by which the
  /// expression returns the same for any value; nil if it depends on the column alone. They also follow if one of the inverses
  /// returns each of them.
  case expression(String, unless: String?, inverses: [String])
}

/// The rows and values that the statements of a migration may remove.
package enum RemovalScope: Int, Sendable {
  /// None.
  case nothing
  /// Values of columns that are dropped or overwritten.
  case values
  /// Also rows, by statements that remove rows or their table.
  case rows
  /// Also rows, by each statement that writes.
  case anyRows
}

/// A review of the rows that migrations remove, which takes place before they are committed.
package struct RowLossReview {
  /// The places to which values move and the rows that come back, as the files of the migrations show them.
  package struct Keepers {
    /// Returns the keepers of the columns that a statement drops, by column in ASCII lowercase.
    ///
    /// A column without any keeper has an empty list. Columns that are not in the dictionary are not counted; nil means that
    /// no column is counted, because the loss is known or allowed. `isOld` is whether the table existed before the run.
    package typealias OfColumns = (
      _ migration: String, _ columns: [String], _ isOld: Bool, _ statement: StatementOccurrence
    ) -> [String: [ValueKeeper]]?

    /// No column is counted.
    package static var none: Keepers {
      Keepers { _, _, _, _ in
        [:]
      } addsRows: { _, _ in
        false
      } holders: { _ in
        []
      }
    }

    let ofColumns: OfColumns
    let addsRows: (_ migration: String, _ statement: StatementOccurrence) -> Bool
    let holders: (_ migration: String) -> Set<String>

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - ofColumns: Returns the keepers of columns.
    ///   - addsRows: Returns whether the migration adds rows to the table from which a statement deletes some, so that the
    ///     number of rows does not show the loss.
    ///   - holders: Returns the names, in ASCII lowercase, of the tables that earlier migrations of the run have created and to
    ///     which these have copied the values of columns before dropping them.
    package init(
      ofColumns: @escaping OfColumns,
      addsRows: @escaping (_ migration: String, _ statement: StatementOccurrence) -> Bool,
      holders: @escaping (_ migration: String) -> Set<String>
    ) {
      (self.ofColumns, self.addsRows, self.holders) = (ofColumns, addsRows, holders)
    }
  }

  let scope: (_ migration: String) -> RemovalScope
  let keepers: Keepers?
  let allows: (_ migration: String, _ statement: StatementOccurrence) -> Bool
  let review: ([RowLoss], _ canBeUndone: Bool) throws -> Void

  /// Creates a review.
  ///
  /// - Parameters:
  ///   - scope: Returns what a migration may remove; nothing else is counted.
  ///   - keepers: Returns the places in which a migration is meant to keep the values of columns that a statement drops,
  ///     alone or with their table, or overwrites; values that are in none of them are a loss. If it is nil, only rows are counted.
  ///   - allows: Returns whether a statement may remove rows; these are then no loss.
  ///   - review: The closure to call with the losses of a migration, if there are any. If they can be undone, it is
  ///     called before the commit, and an error rolls the migration back; otherwise, the migration ran without a
  ///     transaction.
  package init(
    scope: @escaping (_ migration: String) -> RemovalScope = { _ in .anyRows },
    keepers: Keepers? = nil,
    allows: @escaping (_ migration: String, _ statement: StatementOccurrence) -> Bool = { _, _ in false },
    review: @escaping ([RowLoss], _ canBeUndone: Bool) throws -> Void
  ) {
    (self.scope, self.keepers, self.allows, self.review) = (scope, keepers, allows, review)
  }
}
