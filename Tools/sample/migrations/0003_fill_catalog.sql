-- The catalog that ships with the app: 800 artists, 4000 albums, 48000 tracks.
-- It represents an import. The rows are generated from numbers, so that the file is short and the rows are always the same.
-- The names come from lists whose entries are eight characters wide.

WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 800)
INSERT INTO artist (id, name, country)
SELECT n,
       'The ' || trim(substr('Amber   Broken  Crystal Distant ElectricFoggy   Golden  Hollow  Ivory   Jaded   ', n % 10 * 8 + 1, 8))
         || ' ' || trim(substr('Foxes   HarboursLanternsMirrors Rivers  SparrowsTigers  Windows ', n / 10 % 8 * 8 + 1, 8))
         || ' ' || n,
       substr('ATBRDEFIFRISITJPMXNOPLSE', n % 12 * 2 + 1, 2)
FROM number;

WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 4000)
INSERT INTO album (id, artist_id, title, released)
SELECT n, (n - 1) / 5 + 1, 'Volume ' || ((n - 1) % 5 + 1), 1965 + (n * 7919) % 60
FROM number;

WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 48000)
INSERT INTO track (album_id, position, title, length)
SELECT (n - 1) / 12 + 1, (n - 1) % 12 + 1, 'Song no. ' || n,
       CASE WHEN n % 1000 = 0 THEN NULL -- some lengths are unknown
            ELSE (2 + n % 5) || ':' || substr('0' || (n * 31 % 60), -2) END
FROM number;
