/// The migrations that most transcripts begin with.
enum SampleMigrations {
  static let authors = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    INSERT INTO author (name) VALUES ('Ursula'), ('Stanislaw');

    """

  static let books = """
    CREATE TABLE book (
      id INTEGER PRIMARY KEY,
      author INTEGER NOT NULL REFERENCES author (id),
      title TEXT NOT NULL
    );
    CREATE INDEX book_on_author ON book (author);

    """

  static let prices = """
    ALTER TABLE book ADD COLUMN price REAL;

    """

  /// A migration that runs until it is stopped.
  static let endless = """
    CREATE TABLE second (a);
    INSERT INTO second
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT max(i) FROM n;
    """
}

extension Transcript {
  /// Returns an empty transcript in a folder with two migrations.
  static func withSamples(variables: [String: String] = [:]) throws -> Transcript {
    let transcript = try Transcript(variables: variables)
    try transcript.writeSamples()
    return transcript
  }

  /// Writes two migrations into the usual folder.
  func writeSamples() throws {
    try write(SampleMigrations.authors, to: "migrations/0001_authors.sql")
    try write(SampleMigrations.books, to: "migrations/0002_books.sql")
  }
}
