UPDATE user SET name = email WHERE name IS NULL;
UPDATE post SET body = '' WHERE body IS NULL OR body = ' ';
