-- The length of a track is stored as text, such as '3:45'. Migration 0005 converts it to a number.

CREATE TABLE track (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  album_id INTEGER NOT NULL REFERENCES album(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  length TEXT,
  play_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (album_id, position)
);

CREATE INDEX track_on_title ON track(title COLLATE NOCASE);
