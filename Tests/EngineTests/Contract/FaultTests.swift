import MigratorTestKit
import TestEngines
import Testing

@Suite("Contract: the checks can fail")
struct FaultTests {
  @Test(
    "A backend with a fault breaks the rules of that fault",
    // The everyday run tries a third of the faults: they test the kit, not the engines.
    arguments: Fault.allCases.enumerated().filter { TestTier.isFull || $0.offset.isMultiple(of: 3) }.map(\.element))
  func fault(_ fault: Fault) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(fault: fault, in: folder)
    backend.failureStep = TestTier.pick(11, full: 5, soak: 1)
    let results = BackendContract.run(fault.brokenRules, on: backend)
    #expect(Set(results.map(\.number)) == fault.brokenRules)
    for result in results { #expect(result.failure != nil, "\(fault): \(result)") }
  }

  @Test("The same backend without a fault breaks no rule", arguments: BackendContract.checks.filter { $0.number < 250 })
  func noFault(check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(fault: nil, in: folder)
    backend.failureStep = BackendUnderTest.usualFailureStep
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
  }

  @Test("Each rule is broken by a fault, or is listed with a reason")
  func coverage() {
    let broken = Fault.allCases.reduce(into: Set<Int>()) { $0.formUnion($1.brokenRules) }
    let all = Set(BackendContract.checks.map(\.number))
    #expect(all.subtracting(broken) == Set(Fault.rulesNotCovered.keys))
    #expect(broken.isSubset(of: all))
  }
}
