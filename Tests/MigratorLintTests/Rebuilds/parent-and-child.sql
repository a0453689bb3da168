CREATE TABLE user_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  age INTEGER,
  team_id INTEGER REFERENCES team (id),
  created_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL
);
INSERT INTO user_new (id, email, name, age, team_id, created_at) SELECT id, email, name, age, team_id, created_at FROM user;
CREATE TABLE post_new (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user_new (id) ON DELETE CASCADE, title TEXT, body TEXT, summary TEXT);
INSERT INTO post_new (id, user_id, title, body, summary) SELECT id, user_id, title, body, substr(body, 1, 100) FROM post;
DROP TABLE post;
DROP TABLE user;
ALTER TABLE user_new RENAME TO user;
ALTER TABLE post_new RENAME TO post;
CREATE INDEX user_team ON user (team_id);
CREATE INDEX post_user ON post (user_id);
