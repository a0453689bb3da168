-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_post" table
CREATE TABLE `new_post` (
  `id` integer NULL PRIMARY KEY,
  `user_id` integer NOT NULL,
  `title` text NOT NULL DEFAULT '',
  `body` text NULL,
  CONSTRAINT `0` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON UPDATE NO ACTION ON DELETE CASCADE
);
-- Copy rows from old table "post" to new temporary table "new_post"
INSERT INTO `new_post` (`id`, `user_id`, `title`, `body`) SELECT `id`, `user_id`, IFNULL(`title`, '') AS `title`, `body` FROM `post`;
-- Drop "post" table after copying rows
DROP TABLE `post`;
-- Rename temporary table "new_post" to "post"
ALTER TABLE `new_post` RENAME TO `post`;
CREATE INDEX `post_user` ON `post` (`user_id`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
