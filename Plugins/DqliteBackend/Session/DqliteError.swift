internal import DqliteWire
internal import Migrator
internal import SQLiteDialect

/// The errors of a cluster as the core knows them.
enum DqliteError {
  static let engine = "dqlite"

  static func make(
    _ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil
  ) -> DatabaseError {
    DatabaseError(condition, engine: engine, message: message, remedy: remedy, sql: sql)
  }

  static func opening(_ error: WireError, _ addresses: [String]) -> DatabaseError {
    make(
      .cannotOpen, "no leader was found at \(addresses.joined(separator: ", ")) (\(error.reason))",
      remedy: "Check the addresses, and that more than half of the nodes run.")
  }

  /// Returns the error of a statement; `mayHaveCommitted` is whether it commits, and `endsTransaction` whether an open
  /// transaction was lost with the connection.
  static func running(
    _ error: WireError, _ sql: String?, mayHaveCommitted: Bool = false, endsTransaction: Bool = false
  ) -> DatabaseError {
    if mayHaveCommitted, error.isOutcomeUnknown {
      return make(
        .outcomeUnknown, "the cluster did not confirm the commit (\(error.reason))",
        remedy: "Read the data to find out whether the change was made.", sql: sql)
    }
    switch error {
    // Since version 1.18.7, nodes refuse ATTACH, and the pragmas for settings that they manage themselves, as SQLITE_AUTH.
    case .failure(23, _):
      return make(
        .unsupported, "this version of dqlite does not permit the statement (not authorized)",
        remedy: "Omit the statement: a node manages its files and these settings itself.", sql: sql)
    case .failure(_, let message) where message.hasPrefix("too many attached databases - max 0"):
      return make(
        .unsupported, "this version of dqlite attaches no databases, which VACUUM would do, too",
        remedy: "Omit the statement: read another database with its own queue.", sql: sql)
    case .failure(let code, let message) where !error.endsSession:
      let condition = ResultCode.condition(Int32(truncatingIfNeeded: code))
      var failure = DatabaseError(
        condition, engine: engine, resultCode: Int32(truncatingIfNeeded: code), message: message,
        remedy: remedy(for: condition), sql: sql)
      if failure.remedy == nil, let fault = StatementFault(failure), !fault.isOfExisting {
        failure.remedy = fault.advice
      }
      if condition == .statement { failure.utf8Offset = ErrorOffset.guess(message: message, sql: sql ?? "") }
      return failure
    case .failure, .unreachable, .lost:
      return make(
        .connectionLost, "the leader of the cluster was lost (\(error.reason))",
        remedy: """
          Run the statement or the transaction again. If this happens repeatedly, the statement takes too long for the \
          cluster's timeouts: use smaller batches, or nodes with a higher latency setting.
          """,
        sql: sql)
    case .malformed: return make(.other, error.reason, sql: sql)
    case .namesTooLong:
      return make(
        .unsupported,
        "the names of the query's columns are longer than a node can send"
          + (endsTransaction
            ? ", and the transaction was rolled back, because only closing the connection stops it" : ""),
        remedy: "Give the columns short names with AS, or select fewer columns.", sql: sql)
    }
  }

  private static func remedy(for condition: DatabaseError.Condition) -> String? {
    switch condition {
    case .busy:
      """
      Another connection writes to the database: wait for it to finish, or use a longer timeout. If its client hangs, \
      transfer the leadership to another node, which ends all transactions.
      """
    case .stale: "Another connection has changed the database: roll back and start the transaction again."
    case .readOnly: "The connection was opened for reading only."
    default: nil
    }
  }
}

extension DatabaseError {
  /// Whether a node has compiled a statement that writes, and refused to return a row of it: nothing was changed.
  ///
  /// To SQLite, EXPLAIN writes if the statement that it explains does (https://www.sqlite.org/c3ref/stmt_readonly.html).
  var isRowOfWritingStatement: Bool { resultCode == 100 }
}

extension WireError {
  private static let notLeader = 10 | 40 << 8
  private static let leadershipLost = 10 | 41 << 8
  /// The primary result codes of statements that SQLite rejects before anything is replicated
  /// (https://www.sqlite.org/rescode.html): ERROR, BUSY, LOCKED, READONLY, CORRUPT, NOTFOUND, SCHEMA, TOOBIG, CONSTRAINT,
  /// MISMATCH, MISUSE, AUTH, RANGE.
  private static let statementErrors: Set<Int> = [1, 5, 6, 8, 11, 12, 17, 18, 19, 20, 21, 23, 25]
  /// The node has closed the database, as after it has lost the leadership.
  private static let notFound = 12

  /// The result code of SQLite that the node has sent; nil for an error of the connection.
  private var code: Int? { if case .failure(let code, _) = self { code } else { nil } }

  /// Whether another connection holds the lock; the statement was not run.
  var isBusy: Bool { code == 5 }

  /// Whether the statement has returned a row where none is expected, which ends no transaction
  /// (https://www.sqlite.org/rescode.html#row).
  var isRow: Bool { code == 100 }

  /// Whether the request was certainly not carried out, because the node does not lead.
  var wasNotRun: Bool {
    switch self {
    case .failure(let code, _): code == Self.notLeader || code == Self.notFound
    case .unreachable: true
    default: false
    }
  }

  /// Whether the node has lost the leadership while it ran the request.
  var isLeadershipLost: Bool { code == Self.leadershipLost }

  /// Whether a commit may have succeeded nevertheless.
  var isOutcomeUnknown: Bool {
    switch self {
    // A node reports errors of the replication with various codes: the other nodes may have stored the changes even if
    // this node could not.
    case .failure(let code, _): code != Self.notLeader && !Self.statementErrors.contains(code & 0xff)
    case .lost, .malformed: true
    case .unreachable, .namesTooLong: false
    }
  }

  /// Whether the connection cannot be used any longer, and its transaction no longer exists.
  var endsSession: Bool {
    if case .failure = self { wasNotRun || isLeadershipLost } else { true }
  }
}
