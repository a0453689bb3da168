CREATE TABLE isbn (id INTEGER PRIMARY KEY, code TEXT NOT NULL CHECK (length(code) = 13 AND code GLOB '978[0-9]*' AND code NOT GLOB '*[^0-9]*'));
-- next migration
CREATE TABLE new_isbn (id INTEGER PRIMARY KEY, code TEXT NOT NULL);
INSERT INTO new_isbn (id, code) SELECT id, code FROM isbn;
DROP TABLE isbn;
ALTER TABLE new_isbn RENAME TO isbn;
