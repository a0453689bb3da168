CREATE TABLE account (id INTEGER PRIMARY KEY, login TEXT NOT NULL);
CREATE TABLE profile (account_id INTEGER PRIMARY KEY REFERENCES account (id), bio TEXT);
-- next migration
ALTER TABLE account ADD COLUMN bio TEXT;
UPDATE account SET bio = (SELECT bio FROM profile WHERE profile.account_id = account.id);
-- migrator: allow destructive the account has the bio
DROP TABLE profile;
