internal import CSQLite
package import Migrator

extension EngineConnection {
  /// Gives the key of an encrypted database, before anything was read from it.
  ///
  /// The bytes go to the engine as they are; as a statement they could turn up in its error messages or traces. Whether the
  /// key is right shows at the first read only (https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key).
  ///
  /// - Throws: ``DatabaseError`` as `.libraryUnsuitable` when the engine does not encrypt.
  package func setKey(_ key: SecretBytes) throws(DatabaseError) {
    let handle = try openHandle()
    guard library.cipherVersion != nil, let give = library.optionalFunctions.key_v2 else {
      throw error(
        .libraryUnsuitable, "the library \(library.path) is not SQLCipher: the database would not be encrypted")
    }
    let code = key.withBytes { give(handle.database, "main", $0.baseAddress, Int32(clamping: $0.count)) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }
}
