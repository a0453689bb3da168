internal import SQLiteEngine

/// The settings that a file may have been made with, the likely ones first.
struct CipherCandidates {
  private let candidates: [CipherSettings]

  /// Collects what the running library could open.
  init(_ library: EngineLibrary, _ start: FileStart, _ key: EncryptionKey, _ size: Int64) {
    let major = library.cipherMajorVersion ?? 0
    var candidates =
      [CipherSettings()] + stride(from: major - 1, through: 1, by: -1).map { CipherSettings(compatibility: $0) }
    // Trying another page size costs next to nothing once the key is derived.
    if key.form != .passphrase || library.derivesKeys {
      for base in [nil, 3].filter({ $0 ?? major <= major }) {
        candidates += Self.pageSizes.filter { size % Int64($0) == 0 }.map { pageSize in
          var settings = CipherSettings(compatibility: base)
          settings.pageSizeInBytes = pageSize
          return settings
        }
      }
    }
    guard start.hasReadableHeader else {
      self.candidates = candidates
      return
    }
    // The salt is not in the file.
    guard key.form == .rawWithSalt, major >= 4 else {
      self.candidates = []
      return
    }
    self.candidates = [32, 16, 48, 64, 80, 96].flatMap { header in
      candidates.prefix(2).map { settings in
        var settings = settings
        settings.plaintextHeaderSizeInBytes = header
        return settings
      }
    }
  }

  private static let pageSizes = [4096, 1024, 8192, 16384, 2048, 32768, 65536, 512]

  /// All of them but one that was tried before.
  func all(except tried: CipherSettings) -> [CipherSettings] { candidates.filter { $0 != tried } }
}
