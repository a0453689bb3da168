CREATE TABLE reading (sensor TEXT NOT NULL, at INTEGER NOT NULL, value REAL, PRIMARY KEY (sensor, at));
-- next migration
CREATE TABLE reading_new (id INTEGER PRIMARY KEY, sensor TEXT NOT NULL, at INTEGER NOT NULL, value REAL, UNIQUE (sensor, at));
INSERT INTO reading_new (sensor, at, value) SELECT sensor, at, value FROM reading ORDER BY at;
DROP TABLE reading;
ALTER TABLE reading_new RENAME TO reading;
