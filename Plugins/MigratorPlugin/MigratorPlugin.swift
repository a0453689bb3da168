import Foundation
import PackagePlugin

/// The command plugin that runs the command-line tool: `swift package migrator status`.
@main
struct MigratorPlugin: CommandPlugin {
  /// The commands that write to the database or to the folder of migrations.
  private static let writers: Set = [
    "migrate", "rebuild", "watch", "erase", "restore", "new", "baseline", "adopt", "encrypt", "decrypt", "rekey",
    "upgrade-cipher",
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
    process.environment = environment(of: context.package, arguments)
    try process.run()
    process.waitUntilExit()
    exit(process.terminationReason == .exit ? process.terminationStatus : 1)
  }

  /// Returns the tool's environment variables: those of this process, and the defaults of a package.
  ///
  /// The default folder is the one that the plugin `EmbedSQLMigrations` embeds in a target, if there is only one; the default
  /// database is `dev.sqlite` in the package's folder. The tool's options have precedence over variables, but a
  /// configuration file has not, so nothing is added that the file names.
  private func environment(of package: Package, _ arguments: [String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    let configuration = configuration(of: package, arguments)
    func add(_ option: String, _ value: String, unless options: [String] = [], besides others: [String] = []) {
      let names = ["MIGRATOR_\(option.uppercased())"] + others
      guard !([option] + options).contains(where: { configuration.contains("\"\($0)\"") }),
        names.allSatisfy({ variables[$0] == nil })
      else { return }
      variables[names[0]] = value
    }
    let folders = package.targets.map { $0.directoryURL.appending(path: "Migrations").path }
      .filter { FileManager.default.fileExists(atPath: $0) }
    let root = package.directoryURL.path
    if Set(folders).count == 1, let folder = folders.first,
      !FileManager.default.fileExists(atPath: "\(root)/migrations")
    {
      // A relative path makes the tool's messages shorter.
      add("migrations", folder.hasPrefix(root + "/") ? String(folder.dropFirst(root.count + 1)) : folder)
    }
    add("database", "dev.sqlite", unless: ["databases", "databases-from"], besides: ["DATABASE_URL"])
    return variables
  }

  /// Returns the text of the configuration file that the tool reads; empty if there is none.
  private func configuration(of package: Package, _ arguments: [String]) -> String {
    let option = arguments.indices.first { arguments[$0] == "--config" }.map { $0 + 1 }
    let named =
      option.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil }
      ?? arguments.first { $0.hasPrefix("--config=") }.map { String($0.dropFirst("--config=".count)) }
    var folder = package.directoryURL.standardizedFileURL
    if let named { return text(of: URL(filePath: named, relativeTo: folder)) ?? "" }
    while true {
      if let text = text(of: folder.appending(path: "migrator.json")) { return text }
      guard folder.path != "/" else { return "" }
      folder.deleteLastPathComponent()
    }
  }

  /// Returns the text of a file; nil if it cannot be read, of which the tool informs the user.
  private func text(of file: URL) -> String? { try? String(contentsOf: file, encoding: .utf8) }
}
