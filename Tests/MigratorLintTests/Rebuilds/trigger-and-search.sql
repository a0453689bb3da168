CREATE TABLE doc (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE doc_search USING fts4(text);
CREATE TRIGGER doc_insert AFTER INSERT ON doc BEGIN INSERT INTO doc_search (docid, text) VALUES (new.id, new.text); END;
-- next migration
DROP TRIGGER doc_insert;
CREATE TABLE doc_new (id INTEGER PRIMARY KEY, text TEXT NOT NULL, language TEXT);
INSERT INTO doc_new (id, text) SELECT id, text FROM doc;
DROP TABLE doc;
ALTER TABLE doc_new RENAME TO doc;
CREATE TRIGGER doc_insert AFTER INSERT ON doc BEGIN INSERT INTO doc_search (docid, text) VALUES (new.id, new.text); END;
