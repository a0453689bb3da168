CREATE TABLE parent (id INTEGER PRIMARY KEY);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL, x TEXT);
-- next migration
DELETE FROM child WHERE parent_id NOT IN (SELECT id FROM parent);
CREATE TABLE new_child (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parent (id), x TEXT);
INSERT INTO new_child (id, parent_id, x) SELECT id, parent_id, x FROM child;
DROP TABLE child;
ALTER TABLE new_child RENAME TO child;
CREATE INDEX child_parent ON child (parent_id);
