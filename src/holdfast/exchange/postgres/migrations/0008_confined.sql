-- A person's login at a SQL prompt: what it makes itself is never taken for ours, and what it may do harms its own
-- spaces at most. docs/formats/database.md says what is left.
SET LOCAL search_path = holdfast, pg_temp;

-- Temporary tables are looked at first where the path does not name them, and a function of public that fits better is
-- taken before one of PostgreSQL's: so ours look nowhere but at PostgreSQL's own and at ours, and at those last.
DO $$
DECLARE ours regprocedure;
BEGIN
    FOR ours IN SELECT oid FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, holdfast, pg_temp', ours);
    END LOOP;
END
$$;

-- Nobody but the database's owner needs to make anything there: neither temporary tables nor functions that servers
-- would find beside pgvector's. Where these are not ours to take, `database person add` looks at each login.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
EXCEPTION WHEN insufficient_privilege THEN NULL;
END
$$;
DO $$
BEGIN
    EXECUTE format('REVOKE CREATE ON SCHEMA %s FROM PUBLIC', (
        SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'vector'));
EXCEPTION WHEN insufficient_privilege THEN NULL;
END
$$;

-- Whose the other logins are is nobody's to read.
ALTER TABLE login ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_login ON login FOR SELECT USING ((SELECT bound()) IS NULL OR name = session_user);

-- Nor what others see: a person's login asks about its own people alone.
CREATE OR REPLACE FUNCTION spaces_of(team_name text, person_name text) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, holdfast, pg_temp AS $$
    SELECT coalesce(array_agg(space.id ORDER BY space.id), '{}')
    FROM space JOIN team ON team.id = space.team
    WHERE team.name = team_name AND (
        space.kind = 'team'
        OR (space.kind = 'person' AND space.name = person_name)
        OR (space.kind = 'project' AND (NOT space.closed OR EXISTS (
            SELECT 1 FROM member JOIN person ON person.id = member.person
            WHERE member.space = space.id AND person.team = team.id AND person.name = person_name)))
    ) AND ((SELECT bound()) IS NULL OR EXISTS (
        SELECT 1 FROM person
        WHERE person.team = team.id AND person.name = person_name AND person.id = ANY ((SELECT bound())::bigint[])))
$$;

-- Names are lines of a list. What is there already stays, and is left out of lists.
DO $$
DECLARE named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['team', 'person', 'space'] LOOP
        EXECUTE format($check$
            ALTER TABLE %I ADD CONSTRAINT a_name CHECK (
                char_length(name) BETWEEN 1 AND 200 AND name = btrim(name)
                AND name !~ '[\u0001-\u001f\u007f-\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]'
            ) NOT VALID $check$, named);
    END LOOP;
END
$$;

-- No row is larger than a file may be: who reads it holds it in memory.
DO $$
DECLARE bounded record;
BEGIN
    FOR bounded IN SELECT * FROM (VALUES ('file', 'data'), ('journal', 'body'), ('record', 'body')) AS t (name, part) LOOP
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT not_huge CHECK (octet_length(%I) <= 67108864) NOT VALID',
                       bounded.name, bounded.part);
    END LOOP;
END
$$;

-- An index for the vectors of a model and a length: by the model alone, one vector of another length would keep all
-- others out. A person's login makes none, since everybody would wait for it; the next server does.
CREATE OR REPLACE FUNCTION index_vectors(model_name text, dims integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, holdfast, pg_temp AS $$
DECLARE
    before text := 'vector_hnsw_' || substr(md5(model_name), 1, 16);
    name text := 'vector_hnsw_' || substr(md5(model_name || ' ' || dims), 1, 16);
    lies text := (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector');
BEGIN
    IF bound() IS NULL AND to_regclass('holdfast.' || before) IS NULL AND to_regclass('holdfast.' || name) IS NULL THEN
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON holdfast.vector USING hnsw '
            '((v::%s.halfvec(%s)) %s.halfvec_cosine_ops) WHERE model = %L AND %s.vector_dims(v) = %s',
            name, lies, dims, lies, model_name, lies, dims);
    END IF;
END
$$;

-- So that the planner knows how many those are, and takes the index.
DO $$
BEGIN
    EXECUTE format('CREATE STATISTICS vector_length ON (%s.vector_dims(v)) FROM vector', (
        SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'vector'));
END
$$;
ANALYZE vector;
