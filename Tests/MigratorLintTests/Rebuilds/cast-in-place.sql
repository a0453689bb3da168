CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT, price REAL NOT NULL);
-- next migration
ALTER TABLE item ADD COLUMN price_cents INTEGER;
UPDATE item SET price_cents = CAST(round(price * 100) AS INTEGER);
