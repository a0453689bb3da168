CREATE TABLE member (user_id INTEGER NOT NULL REFERENCES user (id), team_id INTEGER NOT NULL REFERENCES team (id), PRIMARY KEY (user_id, team_id));
CREATE INDEX member_team ON member (team_id);
INSERT INTO member (user_id, team_id) SELECT id, team_id FROM user WHERE team_id IS NOT NULL;
