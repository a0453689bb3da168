#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

internal import Foundation

/// The sanitizer that the tests were built with (`Tools/sanitize`).
package enum Sanitizer {
  /// Whether there is one.
  ///
  /// Tests of how much memory is used, of what is in it, or with a limit that the sanitizer's own work would exceed, tell
  /// nothing then and are left out; without a sanitizer they run.
  package static let isPresent = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }

  /// The variables that tell sanitizers what to do, for processes that get no others of this one's.
  package static let variables = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
}
