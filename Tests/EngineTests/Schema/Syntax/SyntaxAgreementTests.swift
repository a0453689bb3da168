import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Compares the results of the parser and the engines for the same statements.
///
/// The parser knows the syntax of the newest engine; earlier ones judge the statements whose syntax they know.
///
/// A run parses 600, 3,000 or 100,000 statements, by its tier, and Tools/soak 1,000,000 that the engine does not have to
/// judge. MIGRATOR_STATEMENTS=n parses n.
@Suite("SQL syntax: agreement with the engine")
struct SyntaxAgreementTests {
  private static let count: Int = {
    let environment = ProcessInfo.processInfo.environment
    if let count = environment["MIGRATOR_STATEMENTS"].flatMap(Int.init) { return count }
    return TestTier.pick(600, full: 1_000, soak: 100_000)
  }()

  private static func count(of engine: TestEngine) -> Int { engine == .sqlCipher4 ? count : count / 3 }

  @Test(
    "generated definitions are parsed, all of their tokens belong to a part, and the engine accepts them",
    arguments: TestEngine.allCases)
  func generated(engine: TestEngine) throws {
    let count = Self.count(of: engine)
    var generator = StatementGenerator(seed: SeededGenerator.seed(of: "generated definitions"))
    var (accepted, known) = (0, 0)
    try withJudge(engine) { judge in
      for _ in 0..<count {
        let tokens = generator.statement()
        let sql = generator.text(tokens)
        let isKnown = generator.minimum <= judge.version
        known += isKnown ? 1 : 0
        let verdict = judge.verdict(sql)
        if isKnown, verdict == .syntaxError {
          Issue.record("the generator produced invalid SQL: \(judge.message(sql) ?? ""): \(sql)")
        }
        accepted += verdict == .accepted ? 1 : 0
        do {
          let syntax = try SQLTree(parsing: sql)
          #expect(syntax.source.text == sql)
          guard case .createTable(let table) = syntax.statement else { continue }
          #expect(table.outline == generator.outline, "\(sql)")
          #expect(table.uncovered(in: syntax.source).isEmpty, "\(sql)")
        } catch { Issue.record("\(error): \(sql)") }
      }
    }
    print("\(engine): of \(count) statements, \(known) have syntax that it knows, and \(accepted) were accepted")
    #expect(accepted > known * 6 / 10)
    #expect(known > count / 2)
  }

  @Test(
    "broken statements cause an error at the position where the engine finds one, and never a crash",
    arguments: TestEngine.allCases)
  func mutated(engine: TestEngine) throws {
    let count = Self.count(of: engine)
    var generator = StatementGenerator(seed: SeededGenerator.seed(of: "broken definitions"))
    var (broken, compared) = (0, 0)
    var differences: [String] = []
    try withJudge(engine) { judge in
      for _ in 0..<count {
        var tokens = generator.statement()
        let donor = generator.statement()
        for _ in 0...generator.pick(2) { generator.mutate(&tokens, donor) }
        // Text without a statement is an error here, but not for the engine.
        guard tokens.contains(where: { $0 != ";" }) else { continue }
        // The engine reads up to a semicolon, and would ignore the rest.
        if tokens.dropLast().contains(";"), !tokens.contains(where: { $0.uppercased() == "BEGIN" }) { continue }
        let sql = generator.text(tokens)
        let error: SQLSyntaxError?
        do throws(SQLSyntaxError) {
          // Other statements are not parsed.
          if case .other = try SQLTree(parsing: sql).statement { continue }
          error = nil
        } catch let caught { error = caught }
        if let error { #expect((0...sql.utf8.count).contains(error.utf8Offset)) }
        broken += error == nil ? 0 : 1
        switch judge.verdict(sql) {
        case .accepted:
          compared += 1
          if let error { differences.append("\(error), but the engine accepts: \(sql)") }
        case .syntaxError:
          // A mutation may result in syntax that an earlier engine does not know.
          guard engine == .sqlCipher4 else { continue }
          compared += 1
          if error == nil { differences.append("\(judge.message(sql) ?? ""): \(sql)") }
        case .otherError: break
        }
      }
    }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(5))")
    print("\(engine): \(broken) of \(count) statements were broken, \(compared) verdicts compared")
    #expect(broken > count / 4)
    #expect(compared > count / (engine == .sqlCipher4 ? 4 : 25))
  }

  @Test("any bytes are parsed or refused, and split without losing a statement")
  func bytes() throws {
    var generator = StatementGenerator(seed: SeededGenerator.seed(of: "broken bytes"))
    for _ in 0..<(Self.count >= 100_000 ? Self.count * 10 : Self.count) {
      let statement = generator.statement()
      var bytes = Array(generator.text(statement).utf8)
      for _ in 0...generator.pick(3) {
        let place = generator.pick(bytes.count)
        switch generator.pick(3) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = UInt8(generator.pick(256))
        default: bytes.insert(Array("'\"`[]()*/-;,.x\0\u{FF}".utf8)[generator.pick(16)], at: place)
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      let sql = String(decoding: bytes, as: UTF8.self)
      do throws(SQLSyntaxError) { _ = try SQLTree(parsing: sql) } catch {
        #expect((0...sql.utf8.count).contains(error.utf8Offset))
      }
      _ = SQLStatementKind(of: sql)
      let canonical = SQLNormalization.canonicalText(of: sql)
      #expect(SQLNormalization.canonicalText(of: canonical) == canonical, "\(sql.debugDescription)")
      guard let statements = try? SQLStatementSplitter.split(sql) else { continue }
      var end = 0
      for statement in statements {
        #expect(statement.utf8Range.lowerBound >= end, "\(sql.debugDescription)")
        end = statement.utf8Range.upperBound
      }
    }
  }

  private func withJudge(_ engine: TestEngine, _ body: (Judge) throws -> Void) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: StatementGenerator.tables)
      let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")?.split(separator: ".").dropFirst().first
      try body(Judge(connection: db.connection, version: version.flatMap { Int($0) } ?? 0))
    }
  }
}

/// The engine's verdict on a statement.
private struct Judge {
  enum Verdict {
    case accepted, syntaxError, otherError
  }

  let connection: any DatabaseConnection
  /// The engine's version of SQLite, as the number after "3.".
  let version: Int

  /// Returns the engine's message about a statement, nil if it accepts the statement.
  func message(_ sql: String) -> String? {
    do throws(DatabaseError) {
      _ = try connection.prepare(sql, utf8Offset: 0)
      return nil
    } catch { return error.message }
  }

  func verdict(_ sql: String) -> Verdict {
    guard let message = message(sql) else { return .accepted }
    let marks = ["syntax error", "incomplete input", "unrecognized token"]
    return marks.contains { message.contains($0) } ? .syntaxError : .otherError
  }
}

extension StatementGenerator {
  /// Drops, duplicates, swaps or replaces a token.
  fileprivate mutating func mutate(_ tokens: inout [String], _ donor: [String]) {
    guard !tokens.isEmpty else { return }
    let place = pick(tokens.count)
    switch pick(5) {
    case 0: tokens.remove(at: place)
    case 1: tokens.insert(tokens[place], at: place)
    case 2: tokens.swapAt(place, pick(tokens.count))
    case 3: tokens[place] = donor[pick(donor.count)]
    default: tokens = Array(tokens.prefix(place))
    }
  }
}

extension SQLCreateTable {
  /// The names of the columns and the kinds of the constraints.
  fileprivate var outline: [String] {
    columns.flatMap { [$0.name.value] + $0.constraints.map(\.kind.word) } + constraints.map(\.kind.word)
  }

  /// Returns the tokens between the parentheses that belong to no part, except commas.
  fileprivate func uncovered(in source: SQLSource) -> [String] {
    var covered = Set<Int>()
    for column in columns {
      covered.formUnion([column.name.token])
      covered.formUnion(column.type)
      for constraint in column.constraints { covered.formUnion(constraint.tokens) }
    }
    for constraint in constraints { covered.formUnion(constraint.tokens) }
    return body.filter { !covered.contains($0) && source.tokens[$0].text != "," }.map { source.tokens[$0].text }
  }
}

extension SQLColumnConstraint.Kind {
  fileprivate var word: String {
    switch self {
    case .primaryKey: "key"
    case .notNull: "not null"
    case .null: "null"
    case .unique: "unique"
    case .check: "check"
    case .defaultValue: "default"
    case .collate: "collate"
    case .references: "references"
    case .generated: "generated"
    case .deferral: "deferral"
    case .nothing: "nothing"
    }
  }
}

extension SQLTableConstraint.Kind {
  fileprivate var word: String {
    switch self {
    case .primaryKey: "table primary"
    case .unique: "table unique"
    case .check: "table check"
    case .foreignKey: "table foreign"
    case .nothing: "table nothing"
    }
  }
}
