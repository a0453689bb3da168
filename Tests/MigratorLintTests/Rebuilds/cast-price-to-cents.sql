CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);
-- next migration
CREATE TABLE new_item (id INTEGER PRIMARY KEY, price_cents INTEGER NOT NULL);
INSERT INTO new_item (id, price_cents) SELECT id, CAST(round(price * 100) AS INTEGER) FROM item;
DROP TABLE item;
ALTER TABLE new_item RENAME TO item;
