CREATE TABLE rule (id TEXT PRIMARY KEY NOT NULL, trigger TEXT NOT NULL, note TEXT);
CREATE TABLE rule_action (id TEXT PRIMARY KEY NOT NULL, rule_id TEXT NOT NULL REFERENCES rule (id), body TEXT NOT NULL);
CREATE INDEX action_rule ON rule_action (rule_id);
-- next migration
CREATE TEMPORARY TABLE saved AS SELECT * FROM rule_action;
CREATE TABLE new_rule (id TEXT PRIMARY KEY NOT NULL, trigger TEXT NOT NULL, note TEXT);
INSERT INTO new_rule (id, trigger, note)
SELECT id,
  CASE
    WHEN json_extract(trigger, '$.list') IS NOT NULL
    THEN json_set(json_remove(trigger, '$.list'), '$.lists', json_array(json_extract(trigger, '$.list')))
    ELSE trigger
  END,
  note
FROM rule;
DROP TABLE rule;
ALTER TABLE new_rule RENAME TO rule;
DELETE FROM rule_action;
INSERT INTO rule_action (id, rule_id, body) SELECT id, rule_id, body FROM saved;
DROP TABLE saved;
