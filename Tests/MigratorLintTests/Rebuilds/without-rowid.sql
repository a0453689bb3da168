CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER);
-- next migration
CREATE TABLE new_word (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
INSERT INTO new_word SELECT word, count FROM word;
DROP TABLE word;
ALTER TABLE new_word RENAME TO word;
