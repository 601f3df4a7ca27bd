-- Logins that are one person's: whatever such a connection claims, it sees what that person sees. A login that is bound
-- to nobody is a server's, or the owner's: it speaks for everybody. Only the owner of the tables binds.
CREATE TABLE login (
    name text NOT NULL,
    -- Nobody: whose it was is gone. It never speaks for everybody again.
    person bigint REFERENCES person ON DELETE SET NULL,
    UNIQUE (name, person)
);
CREATE INDEX login_person ON login (person);

-- The people that this connection's login is bound to; NULL where it was never bound to anybody.
CREATE FUNCTION bound() RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT CASE WHEN count(*) > 0 THEN coalesce(array_agg(person) FILTER (WHERE person IS NOT NULL), '{}') END
    FROM login WHERE name = session_user
$$;

-- The teams that a bound login's people are in.
CREATE FUNCTION teams_of_login() RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT ARRAY(SELECT DISTINCT team FROM person WHERE id = ANY (bound()))
$$;

-- The spaces that the people of a bound login see; NULL where it is bound to nobody.
CREATE FUNCTION allowed() RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT CASE WHEN bound() IS NULL THEN NULL ELSE ARRAY(
        SELECT unnest(spaces_of(team.name, person.name))
        FROM person JOIN team ON team.id = person.team WHERE person.id = ANY (bound()))
    END
$$;

-- Whose rows this transaction sees: what was entered, and of a person's login no more than that person's. A setting can
-- be set by anybody; the login cannot.
CREATE OR REPLACE FUNCTION seen() RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
    claimed bigint[] := coalesce(nullif(current_setting('holdfast.spaces', true), ''), '{}')::bigint[];
    theirs bigint[] := allowed();
BEGIN
    IF theirs IS NULL THEN
        RETURN claimed;
    END IF;
    RETURN ARRAY(SELECT unnest(claimed) INTERSECT SELECT unnest(theirs));
END
$$;

-- A person's login enters as that person alone.
CREATE OR REPLACE FUNCTION enter(team_name text, person_name text) RETURNS bigint[]
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE found bigint[] := spaces_of(team_name, person_name);
BEGIN
    IF bound() IS NOT NULL AND NOT EXISTS (
        SELECT FROM person JOIN team ON team.id = person.team
        WHERE person.id = ANY (bound()) AND team.name = team_name AND person.name = person_name)
    THEN
        RAISE insufficient_privilege USING MESSAGE = format('this login is not %s of %s', person_name, team_name);
    END IF;
    PERFORM set_config('holdfast.spaces', found::text, true);
    RETURN found;
END
$$;

-- Who is in a team and who sees what: a person's login reads of its own teams, makes projects there, and changes nothing.
-- The owner's functions above read these tables, so the owner is let through; rows that hold memory bind the owner too.
ALTER TABLE team ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_login ON team FOR SELECT USING (
    (SELECT bound()) IS NULL OR id = ANY ((SELECT teams_of_login())::bigint[]));
CREATE POLICY by_servers ON team USING ((SELECT bound()) IS NULL) WITH CHECK ((SELECT bound()) IS NULL);

ALTER TABLE person ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_login ON person FOR SELECT USING (
    (SELECT bound()) IS NULL OR team = ANY ((SELECT teams_of_login())::bigint[]));
CREATE POLICY by_servers ON person USING ((SELECT bound()) IS NULL) WITH CHECK ((SELECT bound()) IS NULL);

ALTER TABLE space ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_login ON space FOR SELECT USING (
    (SELECT bound()) IS NULL OR id = ANY ((SELECT allowed())::bigint[]));
CREATE POLICY new_project ON space FOR INSERT WITH CHECK (
    team = ANY ((SELECT teams_of_login())::bigint[]) AND kind = 'project' AND NOT closed);
CREATE POLICY by_servers ON space USING ((SELECT bound()) IS NULL) WITH CHECK ((SELECT bound()) IS NULL);

ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
CREATE POLICY of_login ON member FOR SELECT USING (
    (SELECT bound()) IS NULL OR person = ANY ((SELECT bound())::bigint[]));
CREATE POLICY by_servers ON member USING ((SELECT bound()) IS NULL) WITH CHECK ((SELECT bound()) IS NULL);
