-- Plays and playlists. A trigger counts the plays of a track; a view shows the most played tracks.

CREATE TABLE play (
  id INTEGER PRIMARY KEY,
  track_id INTEGER NOT NULL REFERENCES track(id) ON DELETE CASCADE,
  started_at TEXT NOT NULL
);

CREATE INDEX play_on_track ON play(track_id);

CREATE TABLE playlist (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE playlist_track (
  playlist_id INTEGER NOT NULL REFERENCES playlist(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  track_id INTEGER NOT NULL REFERENCES track(id) ON DELETE CASCADE,
  PRIMARY KEY (playlist_id, position)
) WITHOUT ROWID;

CREATE TRIGGER play_is_counted AFTER INSERT ON play
BEGIN
  UPDATE track SET play_count = play_count + 1 WHERE id = NEW.track_id;
END;

CREATE VIEW favorite AS
  SELECT track.id, artist.name AS artist, album.title AS album, track.title, track.length, track.play_count
  FROM track JOIN album ON album.id = track.album_id JOIN artist ON artist.id = album.artist_id
  WHERE track.play_count > 0
  ORDER BY track.play_count DESC, track.id;

WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60000)
INSERT INTO play (track_id, started_at)
SELECT n * n % 48000 + 1, datetime('2024-01-01', '+' || (n * 7) || ' minutes')
FROM number;

WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 40)
INSERT INTO playlist (id, name) SELECT n, 'Mix ' || n FROM number;

WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 999)
INSERT INTO playlist_track (playlist_id, position, track_id)
SELECT n / 25 + 1, n % 25 + 1, n * 47 % 48000 + 1
FROM number;
