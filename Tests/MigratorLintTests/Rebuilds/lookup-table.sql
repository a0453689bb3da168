CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL);
-- next migration
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO artist (name) SELECT DISTINCT artist FROM song;
CREATE TABLE new_song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist_id INTEGER NOT NULL REFERENCES artist (id));
INSERT INTO new_song (id, title, artist_id) SELECT s.id, s.title, a.id FROM song AS s JOIN artist AS a ON a.name = s.artist;
DROP TABLE song;
ALTER TABLE new_song RENAME TO song;
CREATE INDEX song_artist ON song (artist_id);
