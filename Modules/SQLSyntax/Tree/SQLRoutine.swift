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

  /// Whether only virtual tables use it.
  package var isOfVirtualTables: Bool { self == .module || self == .tokenizer }

  /// The beginnings of SQLite's messages about a missing part, before its name.
  package static let missing: [(prefix: String, routine: SQLRoutine)] = [
    ("no such function: ", .function), ("unknown function: ", .function), ("no such collation sequence: ", .collation),
    ("no such module: ", .module), ("unknown tokenizer: ", .tokenizer), ("no such tokenizer: ", .tokenizer),
  ]

  /// The expressions in place of functions that give a part of a time.
  package static let partOfTime =
    "CAST(strftime('%Y', time) AS INTEGER) for the year, with %m for the month, %d for the day, %H, %M, %S for hour, minute, second, "
    + "%w for the weekday (0 is Sunday), %j for the day of the year, and %s for the seconds since 1970"
  /// The query in place of a function that gives a median.
  package static let median =
    "(SELECT value FROM t ORDER BY value LIMIT 1 OFFSET (SELECT count(*) / 2 FROM t)) for a median, with your table for t"

  /// Functions of other databases, and what SQLite has in their place; a whole sentence is the advice itself.
  private static let foreignFunctions = AdviceTable(
    """
    now => CURRENT_TIMESTAMP, or datetime('now')
    getdate | sysdate | getutcdate | utc_timestamp | clock_timestamp => CURRENT_TIMESTAMP
    gen_random_uuid | uuid_generate_v4 | newid | sys_guid => SQLite has no UUIDs: write lower(hex(randomblob(16))).
    to_char => strftime(format, time), in which YYYY is %Y, MM %m, DD %d, HH24 %H, MI %M and SS %S; of a number,
      printf(format, number)
    date_format => strftime(format, time), in which %i is %M, and %s is %S
    date_part => \(partOfTime)
    date_trunc => strftime(format, time), or date(time, 'start of month')
    len | char_length | character_length => length()
    isnull => ifnull() or coalesce()
    nextval => SQLite has no sequences: an INTEGER PRIMARY KEY numbers the rows.
    curdate => CURRENT_DATE
    nvl => ifnull()
    rand => random(), which gives an integer of 64 bits, or for a number from 0 to 1, 0.5 + random() /
      18446744073709551616.0
    greatest => max() with several arguments
    least => min() with several arguments
    unix_timestamp => CAST(strftime('%s', time) AS INTEGER)
    json_build_object | jsonb_build_object => json_object()
    to_date | str_to_date => date()
    dateadd | date_add | adddate => datetime(time, '+1 day'), or for a date without a time, date(day, '+1 day')
    date_sub | subdate => datetime(time, '-1 day'), or for a date without a time, date(day, '-1 day')
    datediff => julianday(later) - julianday(earlier)
    left => substr(text, 1, count)
    right => substr(text, -count)
    repeat => replace(printf('%.*c', count, 'x'), 'x', text)
    generate_series => WITH RECURSIVE, which can count
    array_agg | json_agg => json_group_array()
    string_to_array => the values as rows, or as JSON
    bool_or => max()
    bool_and => min()
    ucase => upper()
    lcase => lower()
    mid => substr()
    strpos => instr()
    charindex | locate => instr(text, part)
    last_insert_id | scope_identity | currval | lastval => last_insert_rowid()
    from_unixtime | to_timestamp => datetime(seconds, 'unixepoch')
    year => CAST(strftime('%Y', time) AS INTEGER)
    month => CAST(strftime('%m', time) AS INTEGER)
    day => CAST(strftime('%d', time) AS INTEGER)
    hour => CAST(strftime('%H', time) AS INTEGER)
    minute => CAST(strftime('%M', time) AS INTEGER)
    second => CAST(strftime('%S', time) AS INTEGER)
    rollup => SQLite has no ROLLUP: write the query for each group, with UNION ALL between them.
    cube => SQLite has no CUBE: write the query for each group, with UNION ALL between them.
    decode => CASE value WHEN ... THEN ... ELSE ... END
    nvl2 => iif(value IS NOT NULL, a, b), or CASE
    to_number => CAST(value AS NUMERIC)
    json_build_array => json_array()
    setval => UPDATE sqlite_sequence SET seq = value WHERE name = 'table'
    lpad => printf('%05d', number), or of a text, substr('00000', 1, 5 - length(text)) || text
    rpad => printf('%-5s', text), or with another character, text || substr('00000', 1, 5 - length(text))
    percentile_cont | percentile_disc | median => \(median)
    """)

  /// Returns the advice about a function of another database; nil for other functions.
  package static func advice(onForeignFunction name: String) -> String? {
    let name = name.asciiLowercased
    return foreignFunctions.advice { $0 == name }.map { advice in
      advice.hasPrefix("SQLite ") ? advice : "SQLite has no function \(name)(): write \(advice)."
    }
  }

  /// Returns the advice about a function of another database, or of a newer SQLite, that a message says is missing; nil for
  /// other messages.
  package static func advice(onMissingFunctionIn message: String) -> String? {
    guard message.contains("no such function: "), let name = message.split(separator: " ").last else { return nil }
    return advice(onForeignFunction: String(name))
      ?? SQLFeature.used(by: name + "(").first.map { "SQLite has \($0.name) since version 3.\($0.minorVersion)." }
  }
}
