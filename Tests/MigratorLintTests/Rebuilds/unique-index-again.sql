CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE UNIQUE INDEX tag_name ON tag (name);
-- next migration
CREATE TABLE new_tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL, color TEXT);
INSERT INTO new_tag (id, name) SELECT id, name FROM tag;
DROP TABLE tag;
ALTER TABLE new_tag RENAME TO tag;
CREATE UNIQUE INDEX tag_name ON tag (name);
CREATE UNIQUE INDEX tag_name_color ON tag (name, color);
