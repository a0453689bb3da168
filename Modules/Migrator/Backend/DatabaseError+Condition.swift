extension DatabaseError {
  /// What went wrong, independently of the engine.
  public enum Condition: Sendable, Hashable {
    // Opening

    /// No file of that name, and it was not to be created.
    case fileMissing
    /// The folder that should hold the file does not exist.
    case folderMissing
    /// The path names a folder.
    case isDirectory
    /// The operating system denies access to the file or its folder.
    case permissionDenied
    /// The file is a database without encryption, but a key was given.
    case plaintextDatabase
    /// The file is not readable with the key that was given: another key, other settings, or damage.
    case wrongKey
    /// The file is encrypted or not a database at all, and no key was given.
    case notADatabase
    /// The key is of no usable form, or missing.
    case invalidKey
    /// The file cannot be opened for a reason that the engine does not name.
    case cannotOpen
    /// The engine's library is not on this machine.
    case libraryMissing
    /// The library that was found is not the engine, or lacks functions that are needed.
    case libraryUnsuitable
    /// The file is open in this process through another copy of an engine.
    case openedByAnotherEngine
    /// The file is being replaced by a converted copy, as while it is encrypted: try again when that is done.
    case beingConverted

    // Running

    /// A statement that the engine does not understand, or that names what does not exist.
    case statement
    /// A constraint would be violated.
    case constraint(Constraint)
    /// Another connection holds a lock.
    case busy
    /// Another connection changed the schema or the snapshot in the meantime.
    case stale
    /// The database, its file or its folder can only be read.
    case readOnly
    /// There is no room left on the disk, or the database has reached its size limit.
    case full
    /// A value is too large for the engine.
    case tooBig
    /// A value's type does not fit its column.
    case typeMismatch
    /// Reading or writing the file failed.
    case inputOutput
    /// The file is damaged.
    case corrupt
    /// The file was moved, replaced or unlinked while it was open.
    case fileReplaced
    /// The statement was interrupted.
    case interrupted
    /// There is no memory left.
    case outOfMemory
    /// The engine refuses the operation.
    case denied
    /// The engine, at its version, has no way to do that.
    case unsupported
    /// The interface was used in a way that it does not allow.
    case misuse
    /// A value cannot be read as the type that was asked for.
    case conversion
    /// The rows asked for do not exist.
    case notFound
    /// Any other error of the engine.
    case other
  }

  /// Which constraint was violated.
  public enum Constraint: Sendable, Hashable {
    /// CHECK.
    case check
    /// FOREIGN KEY.
    case foreignKey
    /// NOT NULL.
    case notNull
    /// PRIMARY KEY.
    case primaryKey
    /// UNIQUE.
    case unique
    /// The rowid is in use.
    case rowID
    /// A trigger raised an error.
    case trigger
    /// The declared type of a strict table.
    case dataType
    /// Another one, or the engine did not say which.
    case other
  }
}
