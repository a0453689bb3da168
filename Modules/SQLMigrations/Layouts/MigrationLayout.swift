/// The convention that a migration file follows, told from its name and its comments.
package enum MigrationLayout: String, Hashable, Sendable, CaseIterable {
  /// `name.sql`: this migrator's own files, and those of `sqlx migrate add`.
  case plain
  /// `1_name.up.sql` with `1_name.down.sql`: golang-migrate, and `sqlx migrate add -r`.
  case upDown
  /// `name/up.sql` with `name/down.sql`.
  case diesel
  /// `-- migrate:up` and `-- migrate:down` in one file.
  case dbmate
  /// `-- +goose Up` and `-- +goose Down` in one file.
  case goose
  /// `-- +migrate Up` and `-- +migrate Down` in one file.
  case sqlMigrate
  /// `V1__name.sql`: Flyway and refinery.
  case versioned
  /// Files of several layouts in one folder.
  case mixed

  /// The name of the layout for people.
  package var title: String {
    switch self {
    case .plain: "plain SQL files"
    case .upDown: "up and down files (sqlx, golang-migrate)"
    case .diesel: "diesel"
    case .dbmate: "dbmate"
    case .goose: "goose"
    case .sqlMigrate: "sql-migrate"
    case .versioned: "versioned files (Flyway, refinery)"
    case .mixed: "files of several layouts"
    }
  }

  /// True when the tools of this layout know a migration by its number, and refuse two with the same.
  package var demandsUniqueVersions: Bool { self != .plain && self != .mixed && self != .sqlMigrate }
}
