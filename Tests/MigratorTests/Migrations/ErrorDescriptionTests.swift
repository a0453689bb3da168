import Foundation
import Migrator
import Testing

@Suite("Errors in an alert")
struct ErrorDescriptionTests {
  @Test("The localized description of an error is its description")
  func localized() {
    let error: any Error = MigrationError.unknownTarget("Create authors")
    #expect(error.localizedDescription == "\(error)")
    #expect(error.localizedDescription.contains("Create authors"))
  }
}
