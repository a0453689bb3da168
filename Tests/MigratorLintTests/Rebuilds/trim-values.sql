UPDATE post SET title = trim(title);
UPDATE user SET name = upper(trim(name));
