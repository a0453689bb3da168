/// The migrations that a folder contains, read without running anything.
///
/// Layouts of other tools are read as they are, forward only (``MigrationLayout``); each file is judged for itself, so a
/// folder may hold several layouts. Files whose names begin with a number come first, in the order of their numbers; those
/// with the same number, and then those without one, in the order of their names by Unicode.
package struct MigrationFolder: Hashable, Sendable {
  /// The folder's path as it was given.
  package let path: String

  /// The migrations in the order of application; at least one, each identifier once.
  package let files: [MigrationFile]

  /// The layout of all the files, or `mixed`.
  package let layout: MigrationLayout

  /// What the reader should know: what was left out of the folder, then what was changed in its files.
  package let notices: [String]

  /// Creates a folder of files that were read.
  package init(path: String, files: [MigrationFile], layout: MigrationLayout, notices: [String]) {
    self.path = path
    self.files = files
    self.layout = layout
    self.notices = notices
  }

  /// Reads a folder and every migration in it.
  ///
  /// Throws all problems at once: those of the folder, of names, and of the text of every file.
  package static func read(_ path: String) throws(MigrationFolderError) -> MigrationFolder {
    try MigrationScripts(path).folder()
  }
}
