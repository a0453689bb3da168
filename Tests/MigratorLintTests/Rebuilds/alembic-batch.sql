CREATE TABLE _alembic_tmp_user (
	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
	email VARCHAR(320) NOT NULL,
	name VARCHAR(100),
	age INTEGER,
	team_id INTEGER,
	created_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL,
	CONSTRAINT uq_user_email UNIQUE (email),
	FOREIGN KEY(team_id) REFERENCES team (id)
);
INSERT INTO _alembic_tmp_user (id, email, name, age, team_id, created_at) SELECT user.id, user.email, user.name, user.age, user.team_id, user.created_at
FROM user;
DROP TABLE user;
ALTER TABLE _alembic_tmp_user RENAME TO user;
CREATE INDEX user_team ON user (team_id);
