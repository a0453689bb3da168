internal import Migrator

extension Conversion {
  /// The key of a file that is to be converted, as a provider says it.
  ///
  /// - Parameter isNew: Whether the key is one that the file is to get.
  static func key(
    _ provider: @escaping KeyProvider, _ path: String, isNew: () throws(DatabaseError) -> Bool
  ) throws(DatabaseError) -> EncryptionKey {
    try ProvidedKey(provider).hold(forFileAt: path, isFirst: isNew).key
  }

  /// The key that opens a file.
  static func key(_ provider: @escaping KeyProvider, _ path: String) throws(DatabaseError) -> EncryptionKey {
    try key(provider, path) { () throws(DatabaseError) in false }
  }

  /// ``encrypting(_:_:_:_:)`` with a key that is asked for.
  static func encrypting(
    _ path: String, _ provider: @escaping KeyProvider, _ settings: CipherSettings, _ options: ConversionOptions
  ) throws(DatabaseError) -> Conversion {
    let key = try key(provider, path) { () throws(DatabaseError) in
      try FileStart.isPlaintext(path, library: options.library)
    }
    return encrypting(path, key, settings, options)
  }

  /// ``rekeying(_:_:_:_:_:)`` with keys that are asked for, the old one first.
  static func rekeying(
    _ path: String, _ old: @escaping KeyProvider, _ new: @escaping KeyProvider, _ settings: CipherSettings,
    _ options: ConversionOptions
  ) throws(DatabaseError) -> Conversion {
    let oldKey = try key(old, path)
    let newKey = try key(new, path) { () throws(DatabaseError) in true }
    return rekeying(path, oldKey, newKey, settings, options)
  }
}
