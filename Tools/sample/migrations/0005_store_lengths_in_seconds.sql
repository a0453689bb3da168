-- The length becomes a number. SQLite cannot change the type of an existing column, so this file recreates the table with the
-- steps of https://www.sqlite.org/lang_altertable.html#otheralter. The migrator does steps 1, 2, 11 and 12 itself: it turns
-- foreign keys off outside its transaction, commits the migration together with its record, and turns them on again.
-- It also does step 10: it checks the foreign keys of the changed tables before the commit.

-- 1.
PRAGMA foreign_keys = OFF;
-- 2.
BEGIN;
-- 3. Drops the objects that refer to the table; steps 8 and 9 recreate them.
DROP VIEW favorite;
DROP TRIGGER play_is_counted;
-- 4.
CREATE TABLE new_track (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  album_id INTEGER NOT NULL REFERENCES album(id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position > 0),
  title TEXT NOT NULL,
  length_in_seconds INTEGER CHECK (length_in_seconds > 0),
  play_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (album_id, position)
);
-- 5.
INSERT INTO new_track (id, album_id, position, title, length_in_seconds, play_count)
SELECT id, album_id, position, title,
       substr(length, 1, instr(length, ':') - 1) * 60 + substr(length, instr(length, ':') + 1),
       play_count
FROM track;
-- 6.
DROP TABLE track;
-- 7.
ALTER TABLE new_track RENAME TO track;
-- 8.
CREATE INDEX track_on_title ON track(title COLLATE NOCASE);

CREATE TRIGGER play_is_counted AFTER INSERT ON play
BEGIN
  UPDATE track SET play_count = play_count + 1 WHERE id = NEW.track_id;
END;
-- 9.
CREATE VIEW favorite AS
  SELECT track.id, artist.name AS artist, album.title AS album, track.title,
         CASE WHEN track.length_in_seconds IS NULL THEN '?'
              ELSE (track.length_in_seconds / 60) || ':' || substr('0' || track.length_in_seconds % 60, -2) END AS length,
         track.play_count
  FROM track JOIN album ON album.id = track.album_id JOIN artist ON artist.id = album.artist_id
  WHERE track.play_count > 0
  ORDER BY track.play_count DESC, track.id;
-- 11.
COMMIT;
-- 12.
PRAGMA foreign_keys = ON;
