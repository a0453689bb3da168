CREATE TABLE [dogs] ([id] INTEGER PRIMARY KEY, [name] TEXT, [age] TEXT);
-- next migration
CREATE TABLE [dogs_new_2e1f] (
   [id] INTEGER PRIMARY KEY,
   [age] INTEGER,
   [dog_name] TEXT
);
INSERT INTO [dogs_new_2e1f] ([rowid], [id], [age], [dog_name]) SELECT [rowid], [id], [age], [name] FROM [dogs];
DROP TABLE [dogs];
ALTER TABLE [dogs_new_2e1f] RENAME TO [dogs];
