CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT);
INSERT INTO setting VALUES ('theme', 'light');
-- next migration
INSERT OR REPLACE INTO setting (name, value) VALUES ('size', '12');
