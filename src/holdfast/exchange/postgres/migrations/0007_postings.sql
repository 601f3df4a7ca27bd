-- Which passages hold a term or mention a name, in blocks of eight bytes each: found by one look at an index, whatever
-- row-level security adds. The newest stand beside the term itself (`tail`) until they fill a block of their own.
-- Eight bytes: the row; for a term its weight and the passage's size, for a name its group and whether it is no title.
ALTER TABLE passage NO FORCE ROW LEVEL SECURITY;
ALTER TABLE spoken NO FORCE ROW LEVEL SECURITY;
ALTER TABLE mention NO FORCE ROW LEVEL SECURITY;
ALTER TABLE term RENAME TO term_before;
ALTER TABLE term_before NO FORCE ROW LEVEL SECURITY;
CREATE TABLE term (
    space bigint NOT NULL,
    place text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    count integer NOT NULL,
    tail bytea NOT NULL,
    CONSTRAINT term_by_space PRIMARY KEY (space, place, term)
) WITH (fillfactor = 80);
ALTER TABLE term ALTER COLUMN tail SET STORAGE EXTERNAL;
CREATE TABLE posting (
    space bigint NOT NULL,
    place text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    first integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (space, place, term, first)
) WITH (toast_tuple_target = 8160);
ALTER TABLE posting ALTER COLUMN data SET STORAGE EXTERNAL;

-- Tens of thousands come at once, and a look at their space for each would cost a third: they go with it all the same.
CREATE FUNCTION forget_terms() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE before text := coalesce(current_setting('holdfast.spaces', true), '');
BEGIN
    PERFORM set_config('holdfast.spaces', ARRAY[OLD.id]::text, true);
    DELETE FROM term WHERE space = OLD.id;
    DELETE FROM posting WHERE space = OLD.id;
    PERFORM set_config('holdfast.spaces', before, true);
    RETURN NULL;
END
$$;
CREATE TRIGGER space_gone AFTER DELETE ON space FOR EACH ROW EXECUTE FUNCTION forget_terms();

WITH held AS (
    SELECT space, 'memory' AS place, row, size, unnest(terms) AS id, unnest(weights) AS weight FROM passage
    UNION ALL
    SELECT space, 'said', row, size, unnest(terms), unnest(weights) FROM spoken
)
INSERT INTO term
SELECT held.space, held.place, term, count(*),
       string_agg(int8send((held.row::bigint << 32) | (least(weight, 65535)::bigint << 16) | least(size, 65535)), ''
                  ORDER BY held.row)
FROM held JOIN term_before ON term_before.id = held.id GROUP BY held.space, held.place, term;
INSERT INTO term
SELECT space, place || ' name', name, count(*),
       string_agg(int8send((row::bigint << 32) | ("group"::bigint << 1) | later), '' ORDER BY row)
FROM mention GROUP BY space, place, name;
INSERT INTO posting
SELECT space, place, term, ('x' || encode(substr(tail, 1, 4), 'hex'))::bit(32)::integer, tail
FROM term WHERE length(tail) > 1024;
UPDATE term SET tail = '' WHERE length(tail) > 1024;

DROP TABLE term_before;
DROP TABLE mention;
DROP INDEX passage_terms, spoken_terms;
ALTER TABLE passage DROP COLUMN terms, DROP COLUMN weights, DROP COLUMN size,
    ALTER COLUMN names TYPE text USING array_to_string(names, E'\n');
ALTER TABLE spoken DROP COLUMN terms, DROP COLUMN weights, DROP COLUMN size,
    ALTER COLUMN names TYPE text USING array_to_string(names, E'\n');

-- The ids that files hold, for a look by id: under row-level security no index over the array itself is used.
CREATE TABLE held (
    space bigint NOT NULL,
    place text NOT NULL,
    id text COLLATE "C" NOT NULL,
    path text NOT NULL,
    PRIMARY KEY (space, place, id, path),
    FOREIGN KEY (space, place, path) REFERENCES file ON DELETE CASCADE
);
CREATE INDEX held_path ON held (space, place, path);
ALTER TABLE file NO FORCE ROW LEVEL SECURITY;
INSERT INTO held SELECT DISTINCT space, place, unnest(ids), path FROM file;
ALTER TABLE file FORCE ROW LEVEL SECURITY;
DROP INDEX file_ids;
-- Kept by the table itself: servers of the version before write files too, and know nothing of it.
CREATE FUNCTION hold_ids() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM held
    WHERE space = NEW.space AND place = NEW.place AND path = NEW.path AND id <> ALL (NEW.ids);
    INSERT INTO held SELECT DISTINCT NEW.space, NEW.place, unnest(NEW.ids), NEW.path ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER file_ids AFTER INSERT OR UPDATE OF ids ON file FOR EACH ROW EXECUTE FUNCTION hold_ids();

ALTER TABLE passage FORCE ROW LEVEL SECURITY;
ALTER TABLE spoken FORCE ROW LEVEL SECURITY;
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['term', 'posting', 'held'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY by_space ON %I USING (space = ANY ((SELECT seen())::bigint[])) '
            'WITH CHECK (space = ANY ((SELECT seen())::bigint[]))', name);
    END LOOP;
END
$$;

-- Looks before it makes: even where there is nothing to make, CREATE INDEX waits for everyone who writes.
CREATE OR REPLACE FUNCTION index_vectors(model_name text, dims integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE name text := 'vector_hnsw_' || substr(md5(model_name), 1, 16);
BEGIN
    IF to_regclass(name) IS NULL THEN
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON vector USING hnsw ((v::halfvec(%s)) halfvec_cosine_ops) WHERE model = %L',
            name, dims, model_name);
    END IF;
END
$$;
