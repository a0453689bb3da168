/// An engine that runs in this process: its name, the places of its library, and the features that the library must
/// have.
package struct EngineFamily: Sendable {
  /// The engine's name, for messages.
  package let name: String

  /// The names to pass to `dlopen`, in order, when the caller named no library; nil stands for the symbols that are
  /// already in the process, as with static linking.
  package let libraryNames: [String?]

  /// The address of the table of the engine that belongs to the system and is linked; nil where there is none.
  package let systemTable: UInt?

  /// The advice when no suitable library was found: a sentence without a period.
  package let advice: String

  /// Whether the library must be SQLCipher.
  package let isEncrypting: Bool

  /// Describes an engine.
  package init(
    name: String, libraryNames: [String?], systemTable: UInt? = nil, advice: String, isEncrypting: Bool
  ) {
    self.name = name
    self.libraryNames = libraryNames
    self.systemTable = systemTable
    self.advice = advice
    self.isEncrypting = isEncrypting
  }
}
