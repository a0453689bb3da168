CREATE TABLE task (id INTEGER PRIMARY KEY, done TEXT);
-- next migration
CREATE TABLE new_task (id INTEGER PRIMARY KEY, is_done INTEGER NOT NULL DEFAULT 0);
INSERT INTO new_task (id, is_done) SELECT id, CASE WHEN done IN ('yes', 'true', '1') THEN 1 ELSE 0 END FROM task;
DROP TABLE task;
ALTER TABLE new_task RENAME TO task;
