CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at TEXT);
-- next migration
CREATE TABLE login (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at TEXT);
INSERT INTO login (id, kind, at) SELECT id, kind, at FROM event WHERE kind = 'login';
DELETE FROM event WHERE kind = 'login';
