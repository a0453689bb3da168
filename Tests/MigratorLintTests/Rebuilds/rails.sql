CREATE TABLE "articles" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "body" text, "created_at" datetime(6) NOT NULL);
CREATE INDEX "index_articles_on_title" ON "articles" ("title");
-- next migration
CREATE TEMPORARY TABLE "aarticles" ("id" integer NOT NULL PRIMARY KEY, "title" varchar DEFAULT NULL, "body" text DEFAULT NULL, "created_at" datetime(6) NOT NULL);
INSERT INTO "aarticles" ("id","title","body","created_at") SELECT "id","title","body","created_at" FROM "articles";
DROP TABLE "articles";
CREATE TABLE "articles" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar DEFAULT NULL, "body" text DEFAULT NULL, "created_at" datetime(6) NOT NULL);
CREATE INDEX "index_articles_on_title" ON "articles" ("title");
INSERT INTO "articles" ("id","title","body","created_at") SELECT "id","title","body","created_at" FROM "aarticles";
DROP TABLE "aarticles";
