CREATE TABLE session (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL);
-- next migration
DELETE FROM session WHERE expires_at < strftime('%s', 'now');
DELETE FROM session WHERE id = '' OR id IS NULL;
