CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT);
-- next migration
CREATE TABLE log_archive (id INTEGER PRIMARY KEY, line TEXT);
INSERT INTO log_archive (id, line) SELECT id, line FROM log WHERE id < 1000;
DELETE FROM log WHERE id < 1000;
