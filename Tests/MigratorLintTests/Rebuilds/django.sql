CREATE TABLE "shop_product" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(100) NOT NULL, "price" decimal NOT NULL, "note" text NULL);
-- next migration
CREATE TABLE "new__shop_product" ("note" text NULL, "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(200) NOT NULL, "price" decimal NOT NULL, "stock" integer unsigned NOT NULL CHECK ("stock" >= 0));
INSERT INTO "new__shop_product" ("id", "name", "price", "note", "stock") SELECT "id", "name", "price", "note", 0 FROM "shop_product";
DROP TABLE "shop_product";
ALTER TABLE "new__shop_product" RENAME TO "shop_product";
