-- Artists and their albums.

CREATE TABLE artist (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  country TEXT NOT NULL CHECK (length(country) = 2)
);

CREATE TABLE album (
  id INTEGER PRIMARY KEY,
  artist_id INTEGER NOT NULL REFERENCES artist(id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  released INTEGER NOT NULL CHECK (released BETWEEN 1900 AND 2100),
  UNIQUE (artist_id, title)
);

CREATE INDEX album_on_released ON album(released DESC);
