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
ALTER TABLE post ADD COLUMN team_id INTEGER REFERENCES team (id);
UPDATE post SET team_id = (SELECT team_id FROM user WHERE user.id = post.user_id);
CREATE INDEX post_team ON post (team_id);
