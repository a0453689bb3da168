import Foundation
import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The backend contract")
struct ContractTests {
  @Test(
    "Each engine obeys each rule, and skips only those that do not apply to it", arguments: TestEngine.allCases,
    BackendContract.checks)
  func rule(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(engine, in: folder)
    backend.failureStep = BackendUnderTest.usualFailureStep
    // The rule about lending: LentContractTests runs it.
    try Self.expectSuccess(of: check, on: backend, skipping: [219])
  }

  /// Expects that a backend keeps a rule, and skips only the given ones and those that need what its engine lacks.
  static func expectSuccess(of check: BackendCheck, on backend: BackendUnderTest, skipping others: Set<Int>) throws {
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
    // Whether a file can be made read-only depends on the user, and whether error positions are reported on the engine.
    guard ![26, 48].contains(check.number) else { return }
    let isSkipped = if case .skipped = result.outcome { true } else { false }
    let abilities = try backend.makeBackend(nil).connect(ConnectionOptions()).engine.abilities
    #expect(isSkipped == rulesToSkip(abilities).union(others).contains(check.number), "\(result)")
  }

  private static func rulesToSkip(_ abilities: EngineAbilities) -> Set<Int> {
    var rules: Set<Int> = []
    if !abilities.contains(.encryption) { rules.formUnion([27, 35, 36, 215]) }
    if !abilities.contains(.generatedColumns) { rules.insert(143) }
    return rules
  }

  @Test(
    "The rules of opening and secrecy hold with a passphrase, too",
    arguments: TestTier.pairs(
      TestEngine.encrypting, BackendContract.checks.filter { $0.number < TestTier.pick(13, full: 40) }))
  func passphrase(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    let result = check.run(on: BackendUnderTest(engine, in: folder, key: .passphrase))
    #expect(result.failure == nil, "\(result)")
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
