CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT);
-- next migration
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE phone (person_id INTEGER PRIMARY KEY REFERENCES person (id), number TEXT);
INSERT INTO person (id, name) SELECT id, name FROM contact;
INSERT INTO phone (person_id, number) SELECT id, phone FROM contact;
DROP TABLE contact;
