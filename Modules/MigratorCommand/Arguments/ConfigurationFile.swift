internal import SQLMigrations
internal import SQLSyntax

/// The file `migrator.json`, which contains options by name, and environments with options that override them.
///
/// Messages do not quote text from the file, which might be a key.
struct ConfigurationFile {
  struct Setting {
    let option: OptionSpecification
    /// The values of the option, with paths relative to the current folder; empty for an option without a value.
    var values: [String] = []
    /// Whether the option applies; false for an option without a value that is set to false.
    var isOn = true
    /// Whether the setting belongs to the selected environment.
    var isOfEnvironment = false
  }

  static let name = "migrator.json"
  /// The options that the file cannot contain.
  private static let excluded: [OptionSpecification] = [.config, .environment, .help, .version]

  let path: String
  private let text: String

  /// Reads the file at a path or, if the path is nil, the file in the current folder or the nearest parent folder that
  /// has one; returns nil if there is none.
  static func find(_ path: String?) throws(ToolFailure) -> ConfigurationFile? {
    if let path { return try ConfigurationFile(path) }
    let depth = FileSystem.resolve(".").path.split(separator: "/").count
    let candidates = (0...depth).map { String(repeating: "../", count: $0) + name }
    guard let nearest = candidates.first(where: FileSystem.exists) else { return nil }
    // In a parent folder such as /tmp, another user could create the file and choose the library that the tool loads.
    guard !FileSystem.belongsToAnotherUser(nearest) else {
      throw .refused(
        "\(nearest) belongs to another user",
        remedy: "If you trust it, add --config \(nearest.shellWord); otherwise, add --config with another file.")
    }
    return try ConfigurationFile(nearest)
  }

  private init(_ path: String) throws(ToolFailure) {
    self.path = path
    do {
      let bytes = try FileSystem.bytes(of: path, count: 1 << 20)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ToolFailure.usage("\(path) cannot be used as a configuration file", why: "it is not UTF-8 text")
      }
      self.text = text
    } catch let error as SystemFailure {
      throw .usage(
        "the configuration file \(path) cannot be read", why: error.reason, remedy: "Check the path after --config.")
    } catch {
      throw error as? ToolFailure ?? .usage("\(path) cannot be read")
    }
  }

  // MARK: Settings

  /// Returns the options in the file, where those of the environment replace the general ones; also checks all others.
  /// - Parameter known: The options that the file may contain.
  func settings(of environment: String?, known: [OptionSpecification]) throws(ToolFailure) -> [Setting] {
    do throws(JSONItem.Failure) {
      let members = try JSONItem.parse(text).members("the file")
      var settings = try self.settings(members.filter { $0.name != "environments" }, known)
      let environments = try members.first { $0.name == "environments" }?.item.members("\"environments\"") ?? []
      for member in environments {
        let own = try self.settings(member.item.members("the environment \"\(member.name)\""), known)
        guard member.name == environment else { continue }
        settings.removeAll { general in own.contains { $0.option.excludes(general.option.name) } }
        settings += own.map { setting in
          var setting = setting
          setting.isOfEnvironment = true
          return setting
        }
      }
      if let environment, !environments.contains(where: { $0.name == environment }) {
        throw Self.unknownEnvironment(environment, environments.map(\.name))
      }
      return settings
    } catch {
      var failure = ToolFailure.usage(error.what, remedy: error.remedy ?? "Correct the file.")
      let position = SQLTextPosition(ofUTF8Offset: error.offset, in: text)
      failure.place = ToolFailure.Place(path: path, line: position.line, column: position.column)
      throw failure
    }
  }

  private static func unknownEnvironment(_ name: String, _ known: [String]) -> JSONItem.Failure {
    let nearest = Suggestion.nearest(to: name, among: known).map { "Did you mean \($0)?" }
    let all = known.isEmpty ? "Add it to \"environments\"." : "Use one of: \(known.joined(separator: ", "))."
    return JSONItem.Failure(what: "there is no environment \"\(name)\"", remedy: nearest ?? all, offset: 0)
  }

  private func settings(
    _ members: [JSONItem.Member], _ known: [OptionSpecification]
  ) throws(JSONItem.Failure) -> [Setting] {
    var settings: [Setting] = []
    for member in members {
      guard let option = known.first(where: { $0.name == member.name }), !Self.excluded.contains(option) else {
        throw Self.unknown(member, known)
      }
      var setting = Setting(option: option)
      if option.takesValue {
        setting.values = try values(of: member, option)
      } else {
        guard case .flag(let isOn) = member.item.value else {
          throw JSONItem.Failure(what: "\"\(member.name)\" must be true or false", offset: member.item.offset)
        }
        setting.isOn = isOn
      }
      settings.append(setting)
    }
    return settings
  }

  private static func unknown(_ member: JSONItem.Member, _ known: [OptionSpecification]) -> JSONItem.Failure {
    let keys = ["key", "password", "passphrase"]
    if keys.contains(where: { $0 == member.name || "new-" + $0 == member.name }) {
      return JSONItem.Failure(
        what: "a configuration file cannot contain a key", remedy: "Set \"key-file\" or \"key-env\" instead.",
        offset: member.offset)
    }
    if excluded.contains(where: { $0.name == member.name }) {
      return JSONItem.Failure(
        what: "\"\(member.name)\" cannot be set in a configuration file", remedy: "Pass it on the command line.",
        offset: member.offset)
    }
    let nearest = Suggestion.nearest(to: member.name, among: known.map(\.name)).map { "Did you mean \"\($0)\"?" }
    return JSONItem.Failure(what: "there is no option \"\(member.name)\"", remedy: nearest, offset: member.offset)
  }

  private func values(
    of member: JSONItem.Member, _ option: OptionSpecification
  ) throws(JSONItem.Failure) -> [String] {
    var items = [member.item]
    if option.isRepeatable, case .list(let elements) = member.item.value { items = elements }
    var values: [String] = []
    for item in items {
      let value: String
      switch item.value {
      case .text(let text): value = text
      case .number(let digits) where option.takesNumber: value = digits
      default:
        throw JSONItem.Failure(
          what: "\"\(option.name)\" must be \(option.takesNumber ? "a number" : "text in double quotes")",
          offset: item.offset)
      }
      if let fault = option.fault(in: value) {
        throw JSONItem.Failure(
          what: "the value of \"\(option.name)\" is not valid", remedy: fault, offset: item.offset)
      }
      values.append(option.isPath(value) ? relative(value, isDatabase: option.isDatabase) : value)
    }
    return values
  }

  /// Converts a path in the file to a path relative to the current folder.
  private func relative(_ value: String, isDatabase: Bool) -> String {
    var (scheme, path) = ("", value[...])
    if isDatabase, let colon = value.firstIndex(of: ":"), value[..<colon].allSatisfy({ $0.isLetter || $0.isNumber }) {
      path = value[value.index(after: colon)...]
      if path.hasPrefix("//") { path = path.dropFirst(2) }
      scheme = String(value[...colon])
    }
    let folder = FileSystem.folder(of: self.path)
    return path.hasPrefix("/") || folder == "." ? value : scheme + FileSystem.join(folder, String(path))
  }
}
