/// An engine as it is looked for on a machine: its name, the names of its library, and what the library must be able to do.
package struct EngineFamily: Sendable {
  /// The engine's name as its users know it.
  package let name: String

  /// What the loader is asked for, in this order, when no library was named; nil stands for the symbols that are
  /// already in the process, as with static linking.
  package let libraryNames: [String?]

  /// The Debian package that brings the library.
  package let debianPackage: String

  /// Whether the library must be SQLCipher.
  package let isEncrypting: Bool

  /// Describes an engine.
  package init(name: String, libraryNames: [String?], debianPackage: String, isEncrypting: Bool) {
    self.name = name
    self.libraryNames = libraryNames
    self.debianPackage = debianPackage
    self.isEncrypting = isEncrypting
  }
}
