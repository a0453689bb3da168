CREATE TABLE ticket (id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('open', 'closed')), title TEXT);
-- next migration
CREATE TABLE new_ticket (id INTEGER PRIMARY KEY, status INTEGER NOT NULL, title TEXT);
INSERT INTO new_ticket (id, status, title) SELECT id, CASE status WHEN 'open' THEN 0 ELSE 1 END, title FROM ticket;
DROP TABLE ticket;
ALTER TABLE new_ticket RENAME TO ticket;
