PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE new_user (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  age INTEGER,
  team_id INTEGER REFERENCES team (id),
  created_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL, CHECK (length(email) > 1)
);
INSERT INTO new_user (id, email, name, age, team_id, created_at) SELECT id, email, name, age, team_id, created_at FROM user;
DROP TABLE user;
ALTER TABLE new_user RENAME TO user;
CREATE INDEX user_team ON user (team_id);
PRAGMA foreign_key_check;
COMMIT;
PRAGMA foreign_keys=ON;
