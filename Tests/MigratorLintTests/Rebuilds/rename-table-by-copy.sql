CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
-- next migration
CREATE TABLE memo (id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO memo (id, text) SELECT id, text FROM note;
DROP TABLE note;
