CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT);
-- next migration
CREATE TABLE pet (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, old_id INTEGER NOT NULL, name TEXT);
INSERT INTO pet (kind, old_id, name) SELECT 'cat', id, name FROM cat;
INSERT INTO pet (kind, old_id, name) SELECT 'dog', id, name FROM dog;
DROP TABLE cat;
DROP TABLE dog;
