#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The engines that no Debian package contains, built or unpacked by `Tools/setup`.
package enum BuiltEngines {
  /// The package's folder, derived from this source file's path.
  package static let packageRoot: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
  }()

  /// The path of SQLCipher 4; the variable MIGRATOR_TEST_SQLCIPHER4 overrides it.
  package static let sqlCipher4: String =
    ProcessInfo.processInfo.environment["MIGRATOR_TEST_SQLCIPHER4"]
    ?? "\(packageRoot)/.build/engines/libsqlcipher4.so"

  /// The folder of the Python package that contains SQLCipher 4.
  package static let pythonModules = "\(packageRoot)/.build/engines/python"

  /// The library that makes processes fail or die at chosen calls; see `Tests/Faults/`.
  package static let faults = "\(packageRoot)/.build/engines/libfaults.so"
}
