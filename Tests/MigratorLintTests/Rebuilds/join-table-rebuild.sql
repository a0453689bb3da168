CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE note_tag (note_id INTEGER NOT NULL REFERENCES note (id), tag_id INTEGER NOT NULL REFERENCES tag (id));
CREATE INDEX note_tag_note ON note_tag (note_id);
CREATE INDEX note_tag_tag ON note_tag (tag_id);
-- next migration
DROP INDEX note_tag_note;
DROP INDEX note_tag_tag;
CREATE TABLE note_tag_new (note_id INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE, tag_id INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE, PRIMARY KEY (note_id, tag_id)) WITHOUT ROWID;
INSERT OR IGNORE INTO note_tag_new (note_id, tag_id) SELECT note_id, tag_id FROM note_tag;
DROP TABLE note_tag;
ALTER TABLE note_tag_new RENAME TO note_tag;
CREATE INDEX note_tag_tag ON note_tag (tag_id);
