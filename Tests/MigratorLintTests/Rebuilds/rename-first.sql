PRAGMA legacy_alter_table = ON;
ALTER TABLE post RENAME TO old_post;
DROP INDEX post_user;
CREATE TABLE post (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user (id), title TEXT, body TEXT);
INSERT INTO post (id, user_id, title, body) SELECT id, user_id, title, body FROM old_post;
DROP TABLE old_post;
CREATE INDEX post_user ON post (user_id);
