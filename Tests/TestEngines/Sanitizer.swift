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
  /// Whether the tests were built with one.
  ///
  /// If so, tests of how much memory is used, of its content, or with a limit that the sanitizer itself exceeds are
  /// meaningless and skipped.
  package static let isPresent = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }

  /// The environment variables that configure sanitizers, for processes that inherit no other variables.
  package static let variables = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
}
