internal import Migrator
internal import SQLiteEngine

extension CipherSettings {
  /// Refuses settings that make no sense, or that the engine does not have; called before any file is opened.
  ///
  /// - Throws: ``DatabaseError`` as `.misuse` or `.unsupported`.
  func check(_ library: EngineLibrary, form: EncryptionKey.Form) throws(DatabaseError) {
    let major = library.cipherMajorVersion ?? 0
    let fault = Self.firstFault(in: [
      versionFault(major), rangeFault, authenticationFault, algorithmFault(major), headerFault(form),
    ])
    guard let fault else { return }
    throw DatabaseError(
      fault.condition, engine: library.description.name, message: fault.message, remedy: fault.remedy)
  }

  private struct Fault {
    var condition: DatabaseError.Condition = .misuse
    var message: String
    var remedy: String?
  }

  private static func firstFault(in faults: [Fault?]) -> Fault? { faults.lazy.compactMap { $0 }.first }

  private func versionFault(_ major: Int) -> Fault? {
    guard let version = compatibility, !(1...max(major, 1)).contains(version) else { return nil }
    return Fault(
      condition: .unsupported, message: "SQLCipher \(major) cannot use the file format of version \(version)",
      remedy: "It knows the versions 1 through \(major).")
  }

  private var rangeFault: Fault? {
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      return Fault(
        message: "there is no page of \(size) bytes; its size is a power of two, from 512 through 65536")
    }
    for case let count? in [kdfIterations, fastKDFIterations] where !(1...Int(Int32.max)).contains(count) {
      return Fault(message: "a key cannot be derived in \(count) iterations")
    }
    return nil
  }

  private var authenticationFault: Fault? {
    let isOff = usesHMAC.map { !$0 } ?? (compatibility == 1)
    let hasDetails =
      hmacAlgorithm != nil || hmacPageNumberOrder != nil || fastKDFIterations != nil
    guard isOff, hasDetails else { return nil }
    return Fault(
      message: "the settings say how pages are authenticated, and that they are not",
      remedy: "Leave one of the two out; files of version 1 have no authentication.")
  }

  private func algorithmFault(_ major: Int) -> Fault? {
    guard major < 4 else { return nil }
    if hmacAlgorithm != nil || kdfAlgorithm != nil || plaintextHeaderSizeInBytes != nil || salt != nil {
      return Fault(
        condition: .unsupported, message: "SQLCipher \(major) has no choice of algorithms, and no readable headers")
    }
    guard secureMemory != nil else { return nil }
    return Fault(condition: .unsupported, message: "SQLCipher \(major) has no setting for the memory that it uses")
  }

  private func headerFault(_ form: EncryptionKey.Form) -> Fault? {
    let size = plaintextHeaderSizeInBytes ?? 0
    if let salt {
      guard salt.count == 16 else { return Fault(message: "a salt has 16 bytes, and this one \(salt.count)") }
      guard size != 0 else {
        return Fault(
          message: "a salt was given for a file that holds its own",
          remedy: "Leave it out, or say how many bytes of the header are readable.")
      }
      guard form != .rawWithSalt else {
        return Fault(
          message: "the salt was given twice, with the key and in the settings", remedy: "Give it in one place.")
      }
    }
    guard size != 0 else { return nil }
    // From byte 100 on there is the schema: https://www.sqlite.org/fileformat.html#the_database_header
    guard size > 0, size % 16 == 0, size <= 96 else {
      return Fault(message: "a readable header has 16 through 96 bytes in steps of 16, not \(size)")
    }
    guard salt != nil || form == .rawWithSalt else {
      return Fault(
        message: "a file with a readable header does not hold its salt",
        remedy: "Give the salt in the settings or the key as EncryptionKey.rawWithSalt, and keep the salt with the key."
      )
    }
    return nil
  }
}
