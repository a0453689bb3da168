CREATE TABLE new_post (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user (id), title TEXT COLLATE NOCASE, body TEXT);
INSERT INTO new_post (id, user_id, title, body) SELECT id, user_id, lower(trim(title)), replace(body, char(13), '') FROM post;
DROP TABLE post;
ALTER TABLE new_post RENAME TO post;
CREATE INDEX post_user ON post (user_id);
