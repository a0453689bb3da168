-- Few tracks are favorites: a partial index finds them without scanning the others.

CREATE INDEX track_on_play_count ON track(play_count DESC) WHERE play_count > 0;

ALTER TABLE playlist ADD COLUMN created_at TEXT;

UPDATE playlist SET created_at = datetime('2024-01-01', '+' || id || ' days');
