/// What `--version` says, as JSON.
struct VersionReport: Encodable {
  /// The version of this format.
  var format = 1
  /// What was asked for.
  var command = "version"
  /// How the tool is called.
  var name: String
  /// Its version.
  var version: String
}
