CREATE TABLE new_post (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE, title TEXT NOT NULL, body TEXT);
INSERT INTO new_post (id, user_id, title, body) SELECT id, user_id, coalesce(title, ''), body FROM post;
DROP TABLE post;
ALTER TABLE new_post RENAME TO post;
CREATE INDEX post_user ON post (user_id);
