package import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Looks at a database's file without changing it or anything beside it, whoever has it open.
///
/// The engine is told that the file does not change (https://www.sqlite.org/uri.html#uriimmutable): it then neither locks
/// nor recovers anything, and makes no files. What a journal or a log beside the file holds is not seen. The file is
/// opened by the engine and not by ourselves, since closing it must not drop the locks of other connections.
package struct FileInspection {
  /// The path of the file.
  package let path: String

  /// The library that looks.
  package let library: EngineLibrary

  /// The size of the file in bytes.
  package let size: Int64

  /// Gets ready to look at a file.
  ///
  /// - Throws: ``DatabaseError`` as `.fileMissing`, `.folderMissing`, `.isDirectory`, `.permissionDenied` or
  ///   `.cannotOpen`.
  package init(path: String, library: EngineLibrary) throws(DatabaseError) {
    let probe = try FileProbe(path: path, engine: library.description.name, mayCreate: false)
    self.path = path
    self.library = library
    size = probe.size ?? 0
  }

  /// Whether a journal or a log beside the file holds something that the file may lack.
  package var hasJournal: Bool {
    ["-journal", "-wal"].contains { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 && status.st_size > 0
    }
  }

  /// Opens a connection that only looks; nothing was read yet.
  ///
  /// - Parameter isKeyed: Whether it is going to be given a key.
  /// - Throws: ``DatabaseError`` as `.openedByAnotherEngine`, `.cannotOpen` and others.
  package func connect(isKeyed: Bool) throws(DatabaseError) -> EngineConnection {
    let options = ConnectionOptions(isReadOnly: true)
    let keying = isKeyed ? EngineOpening.Keying { (_: EngineConnection) throws(DatabaseError) in } : nil
    let opening = EngineOpening(library: library, place: .file(path), options: options, keying: keying)
    return EngineConnection(handle: try opening.openHandle(path, as: uri), isReadOnly: true)
  }

  private var uri: String {
    var text = "file:"
    // An absolute path: what follows two slashes would be a host.
    for byte in (path.hasPrefix("/") ? path : Self.workingFolder + "/" + path).utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || [0x2f, 0x2e, 0x2d, 0x5f].contains(byte)
      text += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text + "?immutable=1"
  }

  private static var workingFolder: String {
    guard let folder = getcwd(nil, 0) else { return "." }
    defer { free(folder) }
    return String(cString: folder)
  }
}
