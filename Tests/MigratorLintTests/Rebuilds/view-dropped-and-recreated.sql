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
DROP VIEW IF EXISTS title;
CREATE TABLE post_new (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user (id), title TEXT, body TEXT);
INSERT INTO post_new SELECT p.id, p.user_id, p.title, p.body FROM post AS p;
DROP TABLE post;
ALTER TABLE post_new RENAME TO post;
CREATE INDEX post_user ON post (user_id);
CREATE VIEW title AS SELECT title FROM post;
