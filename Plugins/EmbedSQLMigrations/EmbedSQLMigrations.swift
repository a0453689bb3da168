import Foundation
import PackagePlugin

/// The build tool plugin that embeds the SQL files of a target's folder `Migrations` in the target, as
/// `Migrations.all`.
@main
struct EmbedSQLMigrations: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "Migrations")
    guard FileManager.default.fileExists(atPath: folder.path) else {
      Diagnostics.error("the target \(target.name) has no folder \(folder.path) of SQL files to embed")
      return []
    }
    // The path is relative, so that the program is the same wherever it is built.
    let shown = folder.path.dropFirst(context.package.directoryURL.path.count).drop { $0 == "/" }
    let source = context.pluginWorkDirectoryURL.appending(path: "Migrations.swift")
    return [
      .buildCommand(
        displayName: "Embedding the SQL migrations of \(target.name)",
        executable: try context.tool(named: "embed-sql-migrations").url,
        arguments: [folder.path, String(shown), source.path],
        inputFiles: try files(in: folder), outputFiles: [source])
    ]
  }

  /// Returns all files in a folder: the SQL files, and any files with settings for them.
  private func files(in folder: URL) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().map { folder.appending(path: $0) }
      .filter { !$0.hasDirectoryPath }
  }
}
