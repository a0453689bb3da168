import Foundation
import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The backend contract")
struct ContractTests {
  @Test("Each engine obeys each rule", arguments: TestEngine.allCases, BackendContract.checks)
  func rule(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(engine, in: folder)
    backend.failureStep = BackendUnderTest.usualFailureStep
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
  }

  @Test(
    "The rules of opening and secrecy hold with a passphrase, too", arguments: TestEngine.encrypting,
    BackendContract.checks.filter { $0.number < 40 })
  func passphrase(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    let result = check.run(on: BackendUnderTest(engine, in: folder, key: .passphrase))
    #expect(result.failure == nil, "\(result)")
  }

  /// Skipped rules are not checked: a change in the rules that an engine skips must be noticed.
  @Test("Only rules that do not apply to an engine are skipped", arguments: TestEngine.allCases)
  func skipped(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let candidates: Set<Int> = [
      12, 26, 27, 35, 36, 48, 133, 143, 157, 162, 163, 164, 165, 166, 167, 168, 169, 171, 172, 173, 174, 176, 177, 180,
      190, 192, 204, 215, 222,
    ]
    let results = BackendContract.run(candidates, on: BackendUnderTest(engine, in: folder))
    let skipped = Set(results.filter { if case .skipped = $0.outcome { true } else { false } }.map(\.number))
    let abilities = try engine.engineDescription().abilities
    var expected: Set<Int> = []
    if !abilities.contains(.encryption) { expected.formUnion([27, 35, 36, 215]) }
    if !abilities.contains(.generatedColumns) { expected.insert(143) }
    if !abilities.contains(.strictTables) { expected.insert(222) }
    // Whether a file can be made read-only depends on the user, and whether error positions are reported on the engine.
    #expect(skipped.subtracting([26, 48]) == expected)
  }

  @Test("Numbers are unique and in order, and sentences are unique and end with a period")
  func numbers() {
    let numbers = BackendContract.checks.map(\.number)
    #expect(numbers == Array(Set(numbers)).sorted())
    #expect(Set(BackendContract.checks.map(\.sentence)).count == numbers.count)
    #expect(BackendContract.checks.allSatisfy { $0.sentence.hasSuffix(".") })
    #expect(numbers.count >= 60)
  }

  @Test("The guide lists each rule with its number, and no other")
  func guide() throws {
    let path = "\(BuiltEngines.packageRoot)/Modules/MigratorTestKit/BACKEND-RULES.md"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let rules = lines.drop { $0 != "## The rules" }.filter { $0.first?.isNumber ?? false }
    #expect(rules == BackendContract.checks.map(\.description))
  }
}
