-- Rows with settings that a migration writes again: a row that replaces another one has a value in each of its columns.
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT);
INSERT INTO setting (name, value) VALUES ('version', '1'), ('theme', 'dark');
CREATE TABLE master (id INTEGER PRIMARY KEY, hash TEXT);
-- next migration
INSERT OR REPLACE INTO setting VALUES ('version', '2');
REPLACE INTO setting (name, value) VALUES ('theme', 'light');
INSERT OR REPLACE INTO master (id, hash) VALUES (42, 'c103703e120ae8cc73c9248622f3cd1e');
