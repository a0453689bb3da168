CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT);
-- next migration
CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO genre (name) SELECT genre FROM song WHERE genre IS NOT NULL GROUP BY genre;
CREATE TABLE song_new (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre_id INTEGER REFERENCES genre (id));
INSERT INTO song_new (id, title, genre_id) SELECT song.id, song.title, genre.id FROM song LEFT JOIN genre ON genre.name = song.genre;
DROP TABLE song;
ALTER TABLE song_new RENAME TO song;
CREATE INDEX song_genre ON song (genre_id);
