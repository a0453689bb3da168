DROP VIEW IF EXISTS title;
CREATE TABLE post_new (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user (id), title TEXT, body TEXT);
INSERT INTO post_new SELECT p.id, p.user_id, p.title, p.body FROM post AS p;
DROP TABLE post;
ALTER TABLE post_new RENAME TO post;
CREATE INDEX post_user ON post (user_id);
CREATE VIEW title AS SELECT title FROM post;
