CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
-- next migration
DELETE FROM tag WHERE id NOT IN (SELECT min(id) FROM tag GROUP BY name);
CREATE UNIQUE INDEX tag_name ON tag (name);
