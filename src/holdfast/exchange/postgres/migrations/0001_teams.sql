-- Teams, people, and the spaces that rows belong to: a project's, a person's own, the team's.
CREATE TABLE team (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE person (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team bigint NOT NULL REFERENCES team ON DELETE CASCADE,
    name text NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team, name)
);
CREATE TABLE space (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team bigint NOT NULL REFERENCES team ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('project', 'person', 'team')),
    name text NOT NULL,
    -- Closed: only its members see it. A person's space is seen by that person alone.
    closed boolean NOT NULL DEFAULT false,
    created timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team, kind, name)
);
CREATE TABLE member (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    person bigint NOT NULL REFERENCES person ON DELETE CASCADE,
    PRIMARY KEY (space, person)
);

-- The spaces that a person of a team sees.
CREATE FUNCTION spaces_of(team_name text, person_name text) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(array_agg(space.id ORDER BY space.id), '{}')
    FROM space JOIN team ON team.id = space.team
    WHERE team.name = team_name AND (
        space.kind = 'team'
        OR (space.kind = 'person' AND space.name = person_name)
        OR (space.kind = 'project' AND (NOT space.closed OR EXISTS (
            SELECT 1 FROM member JOIN person ON person.id = member.person
            WHERE member.space = space.id AND person.team = team.id AND person.name = person_name)))
    )
$$;

-- Whose rows this transaction sees; nobody's before `enter`.
CREATE FUNCTION seen() RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('holdfast.spaces', true), ''), '{}')::bigint[]
$$;
CREATE FUNCTION enter(team_name text, person_name text) RETURNS bigint[]
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE found bigint[] := spaces_of(team_name, person_name);
BEGIN
    PERFORM set_config('holdfast.spaces', found::text, true);
    RETURN found;
END
$$;
