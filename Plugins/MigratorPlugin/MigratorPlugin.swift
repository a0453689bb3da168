import Foundation
import PackagePlugin

/// The command plugin that runs the command-line tool: `swift package migrator status --database library.sqlite`.
@main
struct MigratorPlugin: CommandPlugin {
  /// The commands that write to the database or to the folder of migrations.
  private static let writers: Set = [
    "migrate", "rebuild", "watch", "erase", "new", "baseline", "adopt", "encrypt", "decrypt", "rekey", "upgrade-cipher",
  ]

  func performCommand(context: PluginContext, arguments: [String]) throws {
    let folder = context.package.directoryURL
    let command = arguments.first { !$0.hasPrefix("-") } ?? ""
    // On systems where SwiftPM uses a sandbox, a plugin can write only if the user allows it.
    if Self.writers.contains(command), access(folder.path, W_OK) != 0 {
      Diagnostics.error(
        "`\(command)` writes, and needs your permission: swift package --allow-writing-to-package-directory migrator "
          + arguments.joined(separator: " "))
      return
    }
    let process = Process()
    process.executableURL = try context.tool(named: "MigratorProgram").url
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    exit(process.terminationReason == .exit ? process.terminationStatus : 1)
  }
}
