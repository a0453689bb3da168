import Foundation
import Testing

/// The files that only Apple's tools and the Swift Package Index read.
@Suite
struct AppleFileTests {
  /// The functions for which Apple requires a reason, by the category in a privacy manifest.
  ///
  /// See https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api.
  private static let functions = [
    "FileTimestamp": #"\b[fl]?stat(?:at)?\(|\bgetattrlist|\b(?:creation|contentModification)Date"#,
    "DiskSpace": #"\bf?statv?fs\(|\bvolumeAvailableCapacity|\bsystemFreeSize"#,
    "SystemBootTime": #"\bsystemUptime\b|\bmach_absolute_time\b"#,
    "UserDefaults": #"\bUserDefaults\b"#,
  ]

  @Test
  func `the privacy manifest names what the libraries use, and nothing else`() throws {
    let url = ProjectSources.root.appending(path: "Modules/CSQLiteLoader/PrivacyInfo.xcprivacy")
    let manifest = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
    let types = try #require((manifest as? [String: Any])?["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let named = types.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
    let sources = try ProjectSources.files().map { try ProjectSources.text($0.path) }
    let used = Self.functions.filter { _, pattern in
      sources.contains { $0.range(of: pattern, options: .regularExpression) != nil }
    }
    .keys
    #expect(Set(named) == Set(used.map { "NSPrivacyAccessedAPICategory\($0)" }))
    for type in types { #expect((type["NSPrivacyAccessedAPITypeReasons"] as? [String])?.count == 1) }
    #expect(try ProjectSources.text("Package.swift").contains(#"resources: [.copy("PrivacyInfo.xcprivacy")]"#))
  }

  @Test
  func `the Swift Package Index documents every library`() throws {
    let listed = try ProjectSources.text(".spi.yml").matches(of: /(?m)^ +- (\w+)$/).map { String($0.output.1) }
    let libraries = try ProjectSources.text("Package.swift").matches(of: /\.library\(name: "(\w+)"/)
    #expect(listed == libraries.map { String($0.output.1) } && listed.count > 5)
  }
}
