CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, street TEXT, city TEXT);
-- next migration
CREATE TABLE address (person_id INTEGER PRIMARY KEY REFERENCES person (id), street TEXT, city TEXT);
INSERT INTO address (person_id, street, city) SELECT id, street, city FROM person WHERE street IS NOT NULL OR city IS NOT NULL;
CREATE TABLE new_person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO new_person (id, name) SELECT id, name FROM person;
DROP TABLE person;
ALTER TABLE new_person RENAME TO person;
