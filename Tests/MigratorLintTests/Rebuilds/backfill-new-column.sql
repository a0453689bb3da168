ALTER TABLE user ADD COLUMN slug TEXT;
UPDATE user SET slug = lower(email);
