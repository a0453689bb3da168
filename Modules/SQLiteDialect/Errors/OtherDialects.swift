internal import SQLSyntax

extension StatementFault {
  /// Schemas and tables of other databases, and tables of SQLite that are not always there.
  static let foreignTables = AdviceTable(
    """
    information_schema | pg_catalog => SQLite lists its objects in sqlite_schema, and columns in
      pragma_table_info('table').
    pg_tables => SQLite lists its tables in sqlite_schema.
    pg_indexes => SQLite lists its indexes in sqlite_schema.
    sysobjects => SQLite lists its objects in sqlite_schema.
    only => Delete ONLY: SQLite has no inheritance.
    dual => SQLite has no table DUAL: delete FROM and its name.
    generate_series => The sqlite3 shell has generate_series, the library has not: count with WITH RECURSIVE.
    sqlite_sequence => SQLite makes sqlite_sequence with the first table that has AUTOINCREMENT: create it before.
    sqlite_stat1 => ANALYZE makes sqlite_stat1: write it before this statement.
    """)

  /// Names that SQLite takes for those of columns, and strings before which it expects none, in the form of ``foreignSyntax``.
  static let foreignNames = AdviceTable(
    """
    date ' | time ' | timestamp ' | datetime ' | binary ' | _binary ' | _latin1 ' | _utf8 ' | _utf8mb4 ' | q ' =>
      SQLite has no types or character sets before strings: delete the word, so that the string alone is left.
    u & ' | e ' => SQLite has no escapes in strings: write the character itself, or char(10) for a line break.
    n ' => Delete the N before the string: all text is Unicode.
    interval ' => SQLite has no INTERVAL: write datetime(time, '+1 day'), or for a date without a time, date(day, '+1 day').
    rownum => Write LIMIT at the end of the query in place of ROWNUM.
    sysdate | systimestamp | localtimestamp => Write CURRENT_TIMESTAMP.
    current_user | session_user => SQLite has no users: write the name itself.
    is unknown | is not unknown => Write NULL in place of UNKNOWN.
    array => SQLite has no arrays: write the values as rows of a table, or as JSON, with json_array().
    convert ( * => Write CAST(value AS type) in place of CONVERT.
    position ( * in * => Write instr(text, part) in place of POSITION.
    """)

  /// The beginnings and ends of names of collations that other databases have.
  static let foreignCollations = [
    "utf8", "latin1", "ascii_", "ucs2", "sql_latin", "en_us", "de_de", "_ci", "_CI", "_AS", "_bin",
  ]

  /// Syntax of other databases, and what SQLite has in its place.
  ///
  /// Each key is a row of tokens, of which `^` and `$` stand for the ends of the statement and `*` for any token. It is the
  /// cause only if SQLite's message names one of these tokens, or one of the two after them. If the row contains `@`, the
  /// message must name the token after that, and the statement must not have another one like it.
  static let foreignSyntax = AdviceTable(
    """
    ^ create * if not exist | ^ create * * if not exist => Write IF NOT EXISTS.
    ^ drop * if exist => Write IF EXISTS.
    order @ * | group @ * => Write BY after ORDER or GROUP.
    ^ delete (*) => Write DELETE FROM: it deletes whole rows.
    auto_increment => SQLite has no AUTO_INCREMENT: an INTEGER PRIMARY KEY numbers the rows.
    identity ( | as identity => SQLite has no IDENTITY: an INTEGER PRIMARY KEY numbers the rows.
    engine = => SQLite has no storage engines: delete ENGINE and what follows it.
    ) comment = | ) comment ' | ^ alter table * comment => SQLite has no comments on tables: write a comment with `--`.
    tablespace => SQLite has no tablespaces: delete TABLESPACE and its name.
    clustered => SQLite stores a table in the order of its INTEGER PRIMARY KEY, or by its key with WITHOUT ROWID:
      delete CLUSTERED.
    nonclustered => SQLite's indexes are apart from the table: delete NONCLUSTERED.
    , index * ( | , index ( => SQLite has no INDEX here: write CREATE INDEX name ON table (column) after this
      statement; a column of that name needs double quotes.
    , unique index * | unique key => Write CREATE UNIQUE INDEX name ON table (column) after this statement.
    , key * ( | , key ( => Write CREATE INDEX name ON table (column) after this statement.
    , fulltext | , fulltext key ( | , fulltext index ( => Create a virtual table with the module fts5 after this
      statement.
    , spatial => Create a virtual table with the module rtree after this statement.
    like * including | ^ create table * like | ^ create table if not exists * like => SQLite has no LIKE here: write
      the columns, as the definition of the table in sqlite_schema gives them.
    add column if => SQLite has no IF NOT EXISTS for columns: delete these words, since a migration runs once.
    drop column if => SQLite has no IF EXISTS for columns: delete these words, since a migration runs once.
    alter table if => SQLite has no IF EXISTS for ALTER TABLE: delete these words, since a migration runs once.
    alter column * set | alter column | modify column | ^ alter table * modify | ^ alter table * change |
      ^ alter table * alter => SQLite cannot change a column: \(rebuild).
    add constraint | add check | with check add | with nocheck add => SQLite cannot add a constraint: create a unique
      index for UNIQUE; otherwise \(rebuild).
    drop constraint | ^ alter table * drop foreign key | ^ alter table * drop primary key => SQLite cannot drop a
      constraint: \(rebuild).
    add foreign key => SQLite cannot add a foreign key to a table: \(rebuild).
    add primary key => SQLite cannot add a primary key to a table: \(rebuild).
    add index | add key * ( => Write CREATE INDEX name ON table (column).
    add unique => Write CREATE UNIQUE INDEX name ON table (column).
    rename index => SQLite cannot rename an index: drop it, and create it with the new name.
    owner to | enable row level security | ^ create user | ^ create role | ^ grant | ^ revoke => SQLite has no users:
      delete the statement.
    ^ alter table * add ( | ^ alter table * add column ( => Write one ALTER TABLE for each column, without parentheses.
    ^ alter table * add * * , | ^ alter table * add column * * , => Write one ALTER TABLE for each column.
    ^ alter index => SQLite cannot change an index: drop it, and create it again.
    ^ alter view => SQLite cannot change a view: drop it, and create it again.
    ^ alter trigger => SQLite cannot change a trigger: drop it, and create it again.
    ^ alter sequence | ^ create sequence | next value for => SQLite has no sequences: an INTEGER PRIMARY KEY numbers
      the rows.
    ^ alter database | ^ create database | ^ use => A file is the database: delete the statement.
    ^ alter table * drop index => Write DROP INDEX name.
    ^ rename table => Write ALTER TABLE name RENAME TO new.
    ^ start transaction => SQLite has no START TRANSACTION: delete it and its COMMIT, since the migration runs in a
      transaction; in a file without one, write BEGIN.
    ^ begin work | ^ commit work | ^ rollback work | ^ end work => Delete the statement, since the migration runs in a
      transaction; in a file without one, delete WORK.
    ^ truncate => SQLite has no TRUNCATE: write DELETE FROM, without a condition.
    ^ create or replace | ^ create or alter => SQLite has no OR REPLACE or OR ALTER: drop the object first, with DROP
      ... IF EXISTS.
    ^ create materialized => SQLite has no materialized views: create a table, and fill it.
    ^ create function => SQLite has no functions in SQL: register the function in the program.
    ^ create procedure | ^ do $ | ^ call | ^ exec | ^ execute | ^ declare => SQLite has no procedures: write the
      statements themselves.
    ^ create extension => SQLite has no extensions in SQL: delete the statement.
    ^ create type | ^ create domain => SQLite has no types to create: use TEXT with a CHECK constraint.
    ^ create schema => SQLite has no schemas in a file: delete the statement.
    ^ comment on => SQLite has no COMMENT ON: write a comment with `--`.
    { { | $ { | < % | % ( => Nothing replaces placeholders in a file: write the value itself.
    ^ go | ) go => GO is a command of a shell: delete the line, and end each statement with a semicolon.
    ^ set => SQLite has no SET: delete the statement, or write a PRAGMA if SQLite has one for it.
    ^ delimiter => SQLite needs no DELIMITER: delete the line, and end each statement with a semicolon.
    ^ source => SOURCE is a command of a shell: write the statements of that file here.
    ^ print => SQLite prints nothing: delete the statement.
    ^ copy | ^ load data | ^ bulk insert => SQLite has no COPY: write INSERT statements.
    ^ lock | ^ unlock => The migration's transaction locks the database: delete the statement.
    ^ show => SQLite lists its objects in sqlite_schema: delete the statement.
    ^ insert overwrite => Write DELETE FROM, and then INSERT INTO.
    ^ insert all => Write one INSERT for each table.
    ^ insert ignore => Write INSERT OR IGNORE INTO.
    ^ insert into * set => Write INSERT INTO table (column) VALUES (value).
    ^ replace * set | ^ replace into * set => Write REPLACE INTO table (column) VALUES (value).
    on duplicate key => Write ON CONFLICT (column) DO UPDATE SET, as upserts are written in SQLite; after a SELECT
      without WHERE, write WHERE true first.
    ^ update * join | ^ update * inner join | ^ update * left join | ^ update * * inner join |
      ^ update * * left join | ^ update * * join | ^ update * as * join | ^ update * , => Write UPDATE table SET column
      = (SELECT ...), or since SQLite 3.33 UPDATE table SET ... FROM other WHERE ...
    ^ delete * from => SQLite deletes from one table: write DELETE FROM table WHERE, with a subquery for the others.
    for update => A transaction of SQLite locks the whole file: delete FOR UPDATE.
    ilike => SQLite has no ILIKE: LIKE ignores the case of ASCII letters.
    interval * second | interval * minute | interval * hour | interval * day | interval * week |
      interval * month | interval * year => SQLite has no INTERVAL: write datetime(time, '+1 day'), or for a date without a time, date(day, '+1 day').
    default charset | ) charset | character set | default character set => SQLite stores UTF-8: delete the character
      set, and DEFAULT before it.
    ) collate => SQLite's tables have no collation: delete COLLATE and the name, or write it after each column.
    on update current_timestamp => SQLite has no ON UPDATE for columns: create a trigger that sets the time.
    current_timestamp ( | current_date ( | current_time ( => Write CURRENT_TIMESTAMP, CURRENT_DATE or CURRENT_TIME
      without parentheses.
    default now ( | default getdate ( => Write DEFAULT CURRENT_TIMESTAMP.
    default nextval ( => Delete DEFAULT and its value: SQLite has no sequences, and an INTEGER PRIMARY KEY numbers the rows.
    default uuid ( | default gen_random_uuid ( | default uuid_generate_v4 ( | default newid ( => Write DEFAULT
      (lower(hex(randomblob(16)))).
    values ( default | values ( * , default | values ( * , * , default => Leave the column out of the list: it then has
      its default.
    default * ( | default * || | default * + => A default that is computed stands in parentheses: DEFAULT (expression).
    enum ( => SQLite has no ENUM: write TEXT CHECK (column IN ('a', 'b')).
    ( * set ( | , * set ( => SQLite has no type SET: write TEXT, or a table with a row for each value.
    ) unsigned | ) zerofill => SQLite has no unsigned numbers: delete it, or add CHECK (column >= 0).
    ( * char ) | ( * byte ) => Write the length without CHAR or BYTE.
    computed by | computed ( => Write AS (expression) in place of COMPUTED BY.
    null enable | null disable | not enforced | ) enforced | not valid => SQLite checks all constraints: delete the word.
    foreign key * ( | foreign key * references => Write FOREIGN KEY (column); a name stands before it, after CONSTRAINT.
    no inherit => SQLite has no inheritance: delete NO INHERIT.
    as table => Write AS SELECT * FROM, and the name of the table.
    table * as ( select | view * as ( select | exists * as ( select | . * as ( select | ^ create view * ( * ) as ( select |
      ^ create view * ( * , * ) as ( select => Write AS SELECT, without parentheses.
    as ( @ select => A generated column cannot contain a query: create a view with the column, or a trigger that sets
      it.
    ^ create table * ( * ) as | ^ create table * ( * * ) as => Write CREATE TABLE name AS SELECT, without columns.
    on * using | using btree | using hash | ^ create index * using | ^ create unique index * using => SQLite's indexes
      are trees: delete USING and the method.
    index concurrently => Delete CONCURRENTLY: SQLite locks the database while it creates an index.
    with data => Delete WITH DATA: SQLite always fills the table.
    with no data => SQLite always fills the table: write WHERE false in place of WITH NO DATA.
    for each statement => SQLite's triggers run for each row: write FOR EACH ROW.
    execute function | execute procedure => Write the statements of the trigger between BEGIN and END.
    ^ drop table * cascade | ^ drop table if exists * cascade => Delete CASCADE: SQLite drops the indexes and triggers
      of the table with it; drop a view that reads it in a statement before.
    drop column * cascade => Delete CASCADE, and drop the indexes, views and triggers that use the column in statements
      before.
    ^ drop * * , | ^ drop * if exists * , => Write one DROP for each object.
    ^ drop * * on | ^ drop * if exists * on => Delete ON and the table: SQLite finds the object by its name.
    ^ reindex table | ^ reindex index => Write REINDEX, and the name.
    ^ delete from * using => Write DELETE FROM table WHERE, with a subquery for the others.
    fetch first => Write LIMIT in place of FETCH FIRST.
    fetch next => Write LIMIT in place of FETCH NEXT.
    row_format = => SQLite has no row formats: delete ROW_FORMAT and what follows it.
    ^ select top => Write LIMIT at the end of the query in place of TOP.
    ^ alter table * set schema | replica identity | ^ alter table * disable keys | ^ alter table * enable keys |
      ^ alter table * validate constraint | ^ alter table * cluster | ^ alter table * set | ^ alter table * attach |
      ^ alter table * detach | ^ alter table * inherit | ^ alter table * nocheck | ^ alter table * convert |
      ^ alter table * order by => SQLite has no such setting of a table: delete the statement.
    disable trigger | enable trigger => SQLite cannot switch triggers off: drop them before, and create them again
      afterwards.
    ^ alter table only => Delete ONLY.
    ^ alter table * rename to $ => Write the new name after TO.
    ^ alter table * rename as | ^ alter table * rename * $ => Write RENAME TO.
    ^ alter table * rename * to * , | ^ alter table * rename column * to * , | ^ alter table * drop * , |
      ^ alter table * drop column * , | ^ alter table * drop column * drop | ^ alter table * add column * * add => Write
      one ALTER TABLE for each change.
    ^ alter table * add column * * autoincrement | ^ alter table * add * * autoincrement => SQLite numbers only an INTEGER
      PRIMARY KEY, which cannot be added: \(rebuild).
    * autoincrement primary | ) autoincrement | * autoincrement , | * autoincrement ) => Write INTEGER PRIMARY KEY
      AUTOINCREMENT, in this order, after the name of the column.
    nulls not distinct => Two NULLs are distinct in SQLite: delete NULLS NOT DISTINCT, or create a unique index on
      coalesce(column, value).
    exclude using => SQLite has no EXCLUDE: use a trigger that looks at the other rows, and calls RAISE(ABORT,
      'message').
    ) partition by => SQLite has no partitions: delete PARTITION BY and what follows it.
    ) inherits => SQLite has no inheritance: write the columns of the other table, too.
    ) with ( => SQLite has no storage parameters: delete WITH and its parentheses.
    ) on primary => A database is one file: delete ON and the name after it.
    ) include => SQLite has no INCLUDE: delete it, or add the columns to the list of the index.
    ^ create unlogged => Delete UNLOGGED.
    ^ create global | ^ create local => Delete GLOBAL or LOCAL: a temporary table belongs to its connection.
    ^ create fulltext | add fulltext => Create a virtual table with the module fts5.
    ^ create index on | ^ create unique index on | ^ create index if not exists on |
      ^ create unique index if not exists on => An index needs a name: write CREATE INDEX name ON table (column).
    after * or | before * or => Write one trigger for each event.
    begin set new => A trigger cannot change NEW: write an AFTER trigger with UPDATE table SET ... WHERE rowid =
      new.rowid.
    ^ if => SQLite has no IF for statements: a migration runs once, so write the statements themselves.
    ^ begin try | ^ begin catch => SQLite has no TRY: the migration is rolled back if a statement fails.
    ^ merge | ^ upsert => SQLite has no MERGE or UPSERT: write INSERT ... ON CONFLICT (column) DO UPDATE SET, or separate
      statements.
    into * from => Write CREATE TABLE name AS SELECT, or INSERT INTO table SELECT.
    ) value ( | into * value ( => Write VALUES.
    ^ insert into ( | ^ insert into values | ^ insert into select | ^ replace into ( | ^ replace into values |
      ^ replace into select => Write the table after INTO.
    ^ replace * ( | ^ replace * values | ^ replace * select => Write REPLACE INTO.
    ^ insert * ( | ^ insert * values | ^ insert * select | ^ insert delayed | ^ insert low_priority |
      ^ insert high_priority => Write INSERT INTO.
    on conflict on constraint => Write the columns of the constraint in parentheses after ON CONFLICT.
    ^ update top | ^ delete top => SQLite has no TOP: choose the rows with WHERE rowid IN (SELECT rowid FROM table
      LIMIT count).
    ^ delete * where => Write DELETE FROM.
    ^ update table | ^ insert into table => Delete TABLE.
    set * . * => Write the column without its table after SET.
    ^ update only * set | ^ delete from only => Delete ONLY: SQLite has no inheritance.
    ^ update ignore * set => Write UPDATE OR IGNORE.
    ^ update low_priority * set => Delete LOW_PRIORITY.
    ^ delete from * * where | ^ update * * set | ^ delete from * * $ | ^ update or * * * set | ^ update * . * * set |
      ^ delete from * . * * where => Write AS before the second name of the table, or delete that name where the version of
      SQLite is older than 3.24.
    ^ delete from * @ as * where | ^ update * @ as * set => Delete the second name of the table; newer versions of SQLite
      take one after AS.
    extract ( => SQLite has no EXTRACT: write \(SQLRoutine.partOfTime).
    separator ' => Write group_concat(value, separator).
    similar to | ~ ' | rlike | sounds like => SQLite has no regular expressions of its own: write LIKE or GLOB.
    distinct on => SQLite has no DISTINCT ON: number the rows with row_number() OVER (PARTITION BY ...), and keep the
      first.
    lateral | cross apply | outer apply => SQLite has no LATERAL: write a subquery in the list of columns.
    comment ' => SQLite has no comments on columns: write a comment with `--`.
    b ' => SQLite has no bit strings: write the number.
    ( max => SQLite's text has any length: delete (MAX).
    add default => SQLite cannot change a default: \(rebuild).
    ^ analyze table => Write ANALYZE, and the name.
    with ( nolock | for share | lock in => A transaction of SQLite locks the whole file: delete this part.
    limit all => Delete LIMIT ALL.
    offset * rows => Write LIMIT count OFFSET start at the end of the query.
    ) as * ( => Name the columns in WITH name (column) AS (query), before the statement.
    trim ( both | trim ( leading | trim ( trailing => Write trim(text, characters), ltrim() or rtrim().
    substring ( * from => Write substr(text, start, count).
    try_cast ( => SQLite's CAST never fails: write CAST.
    isnull ( => SQLite has no function isnull(): write ifnull() or coalesce().
    = any | = some => Write IN.
    with rollup | grouping sets => SQLite has no ROLLUP: write the query for each group, with UNION ALL between them.
    returning * into => Delete INTO and the name.
    ) output inserted => Write RETURNING at the end of the statement, since SQLite 3.35.
    ^ drop table * purge => Delete PURGE.
    varchar_pattern_ops | text_pattern_ops | gin_trgm_ops => SQLite has no operator classes: delete the name after the
      column.
    ) algorithm | ) visible | ) invisible | ) lock => SQLite's indexes have no options: delete what follows the columns.
    ^ create spatial => Create a virtual table with the module rtree.
    with check option | with schemabinding => SQLite's views have no options: delete it.
    ^ create table as | ^ create view as => Write the name before AS.
    ^ create view * select | ^ create view * with | ^ create view * values | ^ create view if not exists * select |
      ^ create view * ( * ) select | ^ create view * ( * , * ) select | ^ create temp view * select |
      ^ create table * select | ^ create table if not exists * select => Write AS before the query.
    ^ create recursive => Write CREATE VIEW name AS WITH RECURSIVE.
    ^ create algorithm | ^ create definer => Delete what is between CREATE and VIEW or TRIGGER.
    begin if | begin signal => Write the condition of the trigger after WHEN, and SELECT RAISE(ABORT, 'message') for an
      error.
    rename constraint | rename key => SQLite cannot rename it: drop and create an index again; for a constraint,
      \(rebuild).
    & & => Write AND.
    <= > => Write IS, which compares NULLs, too.
    select * div * | where * div * | ( * div * => Write / in place of DIV: the quotient of two integers is an integer.
    select * mod * | where * mod * | ( * mod * => Write % in place of MOD.
    select * xor * | where * xor * | ( * xor * => Write <> in place of XOR, between two conditions in parentheses.
    straight_join => Write CROSS JOIN: SQLite then joins the tables in this order.
    use index | force index | ignore index => Write INDEXED BY and the name of the index, or delete this part.
    tablesample => Write ORDER BY random() LIMIT count in place of TABLESAMPLE.
    sql_calc_found_rows | sql_no_cache | ^ drop * * restrict | ^ drop * if exists * restrict => Delete the word.
    minus select => Write EXCEPT in place of MINUS.
    except all | intersect all => SQLite has only EXCEPT and INTERSECT without ALL, which give each row once.
    union ( select | all ( select | except ( select | intersect ( select | ^ insert into * ( select | ) ( select |
      ) ( with => Delete the parentheses of the query.
    ^ insert into * ( * ) ( | ^ insert into * ( * , * ) ( | ^ insert into * ( * , * , * ) ( => Write VALUES before the
      values.
    except ( => SQLite has no EXCEPT in a list of columns: write the columns.
    percentile_cont ( * ) within group | percentile_disc ( * ) within group => SQLite has no WITHIN GROUP: write
      \(SQLRoutine.median).
    mode ( ) within group => SQLite has no mode(): write (SELECT value FROM t GROUP BY value ORDER BY count(*) DESC LIMIT
      1), with your table for t.
    within group => SQLite has no WITHIN GROUP: write group_concat(value, separator) in place of listagg() or string_agg(),
      from a query with ORDER BY; write another value as a query of its own.
    connect by | start with => SQLite has no CONNECT BY: write WITH RECURSIVE.
    + = | - = => Write column = column + value.
    pivot ( | unpivot ( => SQLite has no PIVOT: write sum(value) FILTER (WHERE condition) for each column, or UNION ALL for
      UNPIVOT.
    option ( => SQLite's queries have no options: delete OPTION and its parentheses.
    #name => No name begins with #: write CREATE TEMPORARY TABLE, and the names without #; a comment begins with `--`.
    qualify => SQLite has no QUALIFY: write the condition in a query around this one.
    at time zone => SQLite's times have no zones: delete AT TIME ZONE, and store UTC.
    left ( => SQLite has no function left(): write substr(text, 1, count).
    right ( => SQLite has no function right(): write substr(text, -count).
    default ( select => A default cannot contain a query: use a trigger that sets the value.
    * . * @ ( => SQLite's functions have no schema: delete it and the period; if SQLite has no such function, delete the
      statement.
    overlay ( => SQLite has no OVERLAY: write substr(text, 1, start - 1) || new || substr(text, end).
    = default => SQLite has no DEFAULT here: write the value itself.
    ^ create index * . * on * . | ^ create unique index * . * on * . => Write the schema only before the index.
    ^ create * if exists => Write IF NOT EXISTS.
    ^ drop * if not => Write IF EXISTS.
    ^ drop * * cascade | ^ drop * if exists * cascade => Delete CASCADE.
    ^ create trigger * on => Write CREATE TRIGGER name AFTER INSERT ON table, with the event before ON.
    referencing new | referencing old => Delete REFERENCING: the rows are called NEW and OLD.
    after truncate | before truncate => SQLite's triggers are for INSERT, UPDATE and DELETE: delete this one.
    default values , => Write one INSERT for each row.
    into * default values => SQLite has no DEFAULT VALUES in triggers: write a column and its value.
    ^ explain analyze | ^ explain extended => Write EXPLAIN QUERY PLAN.
    from * offset * => Write LIMIT -1 OFFSET count: OFFSET needs LIMIT.
    values row ( => Write the rows without ROW.
    ^ with * ( select => Write WITH name AS (query).
    as ( insert | as ( update | as ( delete => WITH names queries only: write separate statements.
    ^ table * $ => Write SELECT * FROM, and the name.
    ^ create * ( | ^ create * as | ^ drop * $ | ^ drop if exists | ^ alter * add | ^ alter * rename | ^ alter * drop => After CREATE, ALTER and
      DROP stands the kind of the object, and then its name, as in CREATE TABLE name.
    ) create table * as => Write WITH after CREATE TABLE name AS.
    raise ( abort ) | raise ( fail ) | raise ( rollback ) => Write RAISE(ABORT, 'message').
    rowid strict | strict without => Write a comma between the options of the table.
    without oids => Delete WITHOUT OIDS.
    returning * ; => Delete RETURNING: a trigger returns no rows.
    / / => Write `--` in place of `//`: comments in SQL begin with `--`.
    """)
}
