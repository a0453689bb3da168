CREATE TABLE category (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES category (id), name TEXT NOT NULL);
CREATE INDEX category_parent ON category (parent_id);
-- next migration
CREATE TABLE category_new (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES category_new (id) ON DELETE SET NULL, name TEXT NOT NULL);
INSERT INTO category_new (id, parent_id, name) SELECT id, parent_id, name FROM category;
DROP TABLE category;
ALTER TABLE category_new RENAME TO category;
CREATE INDEX category_parent ON category (parent_id);
