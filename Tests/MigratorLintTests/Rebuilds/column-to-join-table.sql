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
CREATE TABLE member (user_id INTEGER NOT NULL REFERENCES user (id), team_id INTEGER NOT NULL REFERENCES team (id), PRIMARY KEY (user_id, team_id));
CREATE INDEX member_team ON member (team_id);
INSERT INTO member (user_id, team_id) SELECT id, team_id FROM user WHERE team_id IS NOT NULL;
