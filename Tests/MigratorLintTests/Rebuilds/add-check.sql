CREATE TABLE score (id INTEGER PRIMARY KEY, points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 10));
-- next migration
CREATE TABLE new_score (id INTEGER PRIMARY KEY, points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 100));
INSERT INTO new_score SELECT id, points FROM score;
DROP TABLE score;
ALTER TABLE new_score RENAME TO score;
