CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  age INTEGER,
  team_id INTEGER REFERENCES team (id),
  created_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE INDEX user_team ON user (team_id);
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  title TEXT,
  body TEXT
);
CREATE INDEX post_user ON post (user_id);
-- next migration
CREATE TABLE new_post (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES user (id), headline TEXT, body TEXT);
INSERT INTO new_post (id, author_id, headline, body) SELECT id, user_id, title, body FROM post;
DROP TABLE post;
ALTER TABLE new_post RENAME TO post;
CREATE INDEX post_author ON post (author_id);
-- migrator: allow-file lost-object the index has another name
