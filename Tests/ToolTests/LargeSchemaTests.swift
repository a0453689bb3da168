import Foundation
import TestEngines
import Testing

/// Runs the commands that read schemas on one large migration file.
///
/// The everyday run uses dozens of objects, Tools/test --full hundreds, Tools/soak thousands.
@Suite("Large schemas", .timeLimit(.minutes(15)))
struct LargeSchemaTests {
  enum Shape: String, CaseIterable {
    case triggers, tables, views

    private static let allowed = "-- migrator: allow undoes-itself a sample\n"

    var script: String {
      switch self {
      case .triggers:
        let triggers = (1...TestTier.pick(30, full: 200, soak: 2000)).map {
          "CREATE TRIGGER r\($0) AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;\n"
        }
        return "CREATE TABLE t (a);\nCREATE TABLE log (a);\nCREATE TABLE u (a);\n" + triggers.joined()
          + Self.allowed + "DROP TABLE u;\n"
      case .tables:
        let tables = (1...TestTier.pick(75, full: 500, soak: 5000)).map {
          "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, a TEXT);\n"
        }
        return tables.joined() + Self.allowed + "DROP TABLE t1;\n"
      case .views:
        // The engine doubles its work with each view, and refuses to read those after the sixteenth.
        let views = (1...TestTier.pick(18, full: 30)).map {
          "CREATE VIEW v\($0) AS SELECT a.n FROM v\($0 - 1) AS a, v\($0 - 1) AS b;\n"
        }
        return "CREATE TABLE v0 (n);\nCREATE TABLE u (a);\n" + views.joined() + Self.allowed + "DROP TABLE u;\n"
      }
    }
  }

  /// The limit on the processor time of each command.
  private static let processorSeconds = Sanitizer.isPresent ? 100 : 10

  @Test("Each command ends within 10 seconds of processor time", arguments: Shape.allCases)
  func commands(shape: Shape) throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(shape.script, to: "migrations/1_all.sql")
    for command in [
      "lint", "check", "plan", "migrate --quiet", "status", "dump --output schema.sql", "diff schema.sql",
      "diagram --output schema.mmd", "verify",
    ] {
      let start = ContinuousClock.now
      // On a loaded machine, a command takes longer, but not more processor time.
      let outcome = try transcript.run(
        "ulimit -t \(Self.processorSeconds); exec timeout \(Self.processorSeconds * 30) migrator \(command)")
      // The engine refuses a query of a view with too many references.
      #expect(
        outcome.exitCode == (shape == .views && ["lint", "check", "verify"].contains(command) ? 1 : 0),
        "\(command) failed, or took \(Self.processorSeconds) s: \(outcome.output) \(outcome.errors)")
      print("\(shape.rawValue): \(command) took \(ContinuousClock.now - start)")
    }
  }
}
