CREATE TABLE visit (id INTEGER PRIMARY KEY, at TEXT NOT NULL);
-- next migration
CREATE TABLE new_visit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
INSERT INTO new_visit (id, at) SELECT id, coalesce(CAST(strftime('%s', at) AS INTEGER), 0) FROM visit;
DROP TABLE visit;
ALTER TABLE new_visit RENAME TO visit;
