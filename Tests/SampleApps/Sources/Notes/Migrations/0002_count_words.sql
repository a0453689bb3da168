-- Kept up to date by triggers, so that no query has to count; a text's "words" are what spaces part.
ALTER TABLE note ADD COLUMN word_count INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER note_inserted AFTER INSERT ON note BEGIN
  UPDATE note SET word_count = length(new.text) - length(replace(new.text, ' ', '')) + 1 WHERE id = new.id;
END;
