ALTER TABLE post RENAME TO article;
