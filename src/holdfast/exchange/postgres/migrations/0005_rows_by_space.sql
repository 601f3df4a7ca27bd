-- Every row belongs to a space, and only who entered it sees it; the owner of the tables too.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'file', 'feed', 'journal', 'counter', 'record', 'source', 'term', 'passage', 'link', 'problem', 'event',
        'spoken', 'page', 'total', 'mention', 'state', 'vector', 'meaning', 'token'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY by_space ON %I USING (space = ANY ((SELECT seen())::bigint[])) '
            'WITH CHECK (space = ANY ((SELECT seen())::bigint[]))', name);
    END LOOP;
END
$$;
