ALTER TABLE post ADD COLUMN team_id INTEGER REFERENCES team (id);
UPDATE post SET team_id = (SELECT team_id FROM user WHERE user.id = post.user_id);
CREATE INDEX post_team ON post (team_id);
