#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Where `Tools/setup` puts the engines that no Debian package brings.
package enum BuiltEngines {
  /// The package's folder, found from where this file was compiled.
  package static let packageRoot: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
  }()

  /// SQLCipher 4; the variable MIGRATOR_TEST_SQLCIPHER4 names another one.
  package static let sqlCipher4: String =
    ProcessInfo.processInfo.environment["MIGRATOR_TEST_SQLCIPHER4"]
    ?? "\(packageRoot)/.build/engines/libsqlcipher4.so"

  /// The folder of the Python package that brings SQLCipher 4.
  package static let pythonModules = "\(packageRoot)/.build/engines/python"

  /// What makes processes fail and die at chosen calls; see `Tests/Faults/`.
  package static let faults = "\(packageRoot)/.build/engines/libfaults.so"
}
