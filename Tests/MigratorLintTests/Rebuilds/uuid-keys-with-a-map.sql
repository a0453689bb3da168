CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author (id), title TEXT);
CREATE INDEX book_author ON book (author_id);
-- next migration
CREATE TABLE author_key (old INTEGER PRIMARY KEY, new TEXT NOT NULL);
INSERT INTO author_key (old, new) SELECT id, lower(hex(randomblob(16))) FROM author;
CREATE TABLE author_new (id TEXT PRIMARY KEY, name TEXT);
INSERT INTO author_new (id, name) SELECT k.new, a.name FROM author AS a JOIN author_key AS k ON k.old = a.id;
CREATE TABLE book_new (id INTEGER PRIMARY KEY, author_id TEXT REFERENCES author_new (id), title TEXT);
INSERT INTO book_new (id, author_id, title) SELECT b.id, k.new, b.title FROM book AS b LEFT JOIN author_key AS k ON k.old = b.author_id;
DROP TABLE book;
DROP TABLE author;
ALTER TABLE author_new RENAME TO author;
ALTER TABLE book_new RENAME TO book;
CREATE INDEX book_author ON book (author_id);
