CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT);
-- next migration
CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT OR IGNORE INTO genre (name) SELECT genre FROM song WHERE genre IS NOT NULL;
ALTER TABLE song ADD COLUMN genre_id INTEGER REFERENCES genre (id);
UPDATE song SET genre_id = (SELECT id FROM genre WHERE name = song.genre);
CREATE INDEX song_genre ON song (genre_id);
