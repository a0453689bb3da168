CREATE TABLE new_post (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES user (id), headline TEXT, body TEXT);
INSERT INTO new_post (id, author_id, headline, body) SELECT id, user_id, title, body FROM post;
DROP TABLE post;
ALTER TABLE new_post RENAME TO post;
CREATE INDEX post_author ON post (author_id);
-- migrator: allow-file lost-object the index has another name
