/// The way in which the library, and with it the program, was compiled.
enum BuildMode {
  #if DEBUG
    static let isRelease = false
  #else
    /// Swift packages define DEBUG in debug builds, for all modules of a program.
    static let isRelease = true
  #endif
}
