CREATE TABLE setting (name TEXT);
CREATE UNIQUE INDEX setting_name ON setting (name);
INSERT OR REPLACE INTO setting (name) VALUES ('theme');
