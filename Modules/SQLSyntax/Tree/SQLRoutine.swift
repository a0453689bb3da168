/// A part of the engine that an application can add.
package enum SQLRoutine: String, Hashable, Sendable {
  /// An SQL function.
  case function
  /// A rule for comparing text.
  case collation
  /// A tokenizer of full-text tables.
  case tokenizer
  /// A module of virtual tables.
  case module

  /// The beginnings of SQLite's messages about a missing part, before its name.
  package static let missing: [(prefix: String, routine: SQLRoutine)] = [
    ("no such function: ", .function), ("unknown function: ", .function), ("no such collation sequence: ", .collation),
    ("no such module: ", .module), ("unknown tokenizer: ", .tokenizer), ("no such tokenizer: ", .tokenizer),
  ]

  /// Functions of other databases, and what SQLite has in their place.
  package static let foreignFunctions: [String: String] = [
    "now": "SQLite has no function now(): write CURRENT_TIMESTAMP, or datetime('now').",
    "getdate": "SQLite has no function getdate(): write CURRENT_TIMESTAMP.",
    "gen_random_uuid": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "uuid_generate_v4": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "newid": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "to_char": "SQLite has no function to_char(): write strftime(format, time).",
    "date_trunc": "SQLite has no function date_trunc(): write strftime(format, time), or date(time, 'start of month').",
    "len": "SQLite has no function len(): write length().",
    "isnull": "SQLite has no function isnull(): write ifnull() or coalesce().",
    "nextval": "SQLite has no sequences: an INTEGER PRIMARY KEY numbers the rows.",
    "curdate": "SQLite has no function curdate(): write CURRENT_DATE.",
    "sysdate": "SQLite has no function sysdate(): write CURRENT_TIMESTAMP.",
    "date_format": "SQLite has no function date_format(): write strftime(format, time).",
    "nvl": "SQLite has no function nvl(): write ifnull().",
    "rand": "SQLite has no function rand(): write random().",
    "greatest": "SQLite has no function greatest(): write max() with several arguments.",
    "least": "SQLite has no function least(): write min() with several arguments.",
    "unix_timestamp": "SQLite has no function unix_timestamp(): write CAST(strftime('%s', time) AS INTEGER).",
    "json_build_object": "SQLite has no function json_build_object(): write json_object().",
    "to_date": "SQLite has no function to_date(): write date().",
    "dateadd": "SQLite has no function dateadd(): write datetime(time, '+1 day').",
    "date_add": "SQLite has no function date_add(): write datetime(time, '+1 day').",
    "datediff": "SQLite has no function datediff(): write julianday(later) - julianday(earlier).",
    "left": "SQLite has no function left(): write substr(text, 1, count).",
    "array_agg": "SQLite has no function array_agg(): write json_group_array().",
    "string_to_array": "SQLite has no function string_to_array(): write the values as rows, or as JSON.",
    "bool_or": "SQLite has no function bool_or(): write max().",
    "bool_and": "SQLite has no function bool_and(): write min().",
    "char_length": "SQLite has no function char_length(): write length().",
    "character_length": "SQLite has no function character_length(): write length().",
    "ucase": "SQLite has no function ucase(): write upper().",
    "lcase": "SQLite has no function lcase(): write lower().",
    "mid": "SQLite has no function mid(): write substr().",
    "strpos": "SQLite has no function strpos(): write instr().",
    "charindex": "SQLite has no function charindex(): write instr(text, part).",
    "locate": "SQLite has no function locate(): write instr(text, part).",
    "last_insert_id": "SQLite has no function last_insert_id(): write last_insert_rowid().",
    "scope_identity": "SQLite has no function scope_identity(): write last_insert_rowid().",
    "from_unixtime": "SQLite has no function from_unixtime(): write datetime(seconds, 'unixepoch').",
    "to_timestamp": "SQLite has no function to_timestamp(): write datetime(seconds, 'unixepoch').",
    "year": "SQLite has no function year(): write CAST(strftime('%Y', time) AS INTEGER).",
    "month": "SQLite has no function month(): write CAST(strftime('%m', time) AS INTEGER).",
    "str_to_date": "SQLite has no function str_to_date(): write date().",
    "rollup": "SQLite has no ROLLUP: write the query for each group, with UNION ALL between them.",
    "cube": "SQLite has no CUBE: write the query for each group, with UNION ALL between them.",
    "decode": "SQLite has no function decode(): write CASE value WHEN ... THEN ... ELSE ... END.",
    "nvl2": "SQLite has no function nvl2(): write iif(value IS NOT NULL, a, b), or CASE.",
    "to_number": "SQLite has no function to_number(): write CAST(value AS NUMERIC).",
    "json_build_array": "SQLite has no function json_build_array(): write json_array().",
    "jsonb_build_object": "SQLite has no function jsonb_build_object(): write json_object().",
    "json_agg": "SQLite has no function json_agg(): write json_group_array().",
    "setval": "SQLite has no function setval(): write UPDATE sqlite_sequence SET seq = value WHERE name = 'table'.",
    "lpad": "SQLite has no function lpad(): write printf('%05d', number).",
    "getutcdate": "SQLite has no function getutcdate(): write CURRENT_TIMESTAMP.",
    "utc_timestamp": "SQLite has no function utc_timestamp(): write CURRENT_TIMESTAMP.",
    "clock_timestamp": "SQLite has no function clock_timestamp(): write CURRENT_TIMESTAMP.",
    "date_part": "SQLite has no function date_part(): write strftime(format, time).",
  ]

  /// Returns the advice about the function of another database that a message says is missing; nil for other messages.
  package static func advice(onMissingFunctionIn message: String) -> String? {
    guard message.contains("no such function: "), let name = message.split(separator: " ").last else { return nil }
    return foreignFunctions[String(name).asciiLowercased]
  }
}
