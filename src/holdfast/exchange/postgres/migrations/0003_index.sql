-- The index: derived from files and journal, safe to empty.
CREATE TABLE source (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    scope text NOT NULL,
    path text NOT NULL,
    stamp text NOT NULL,
    sha256 text NOT NULL,
    PRIMARY KEY (space, scope, path)
);
CREATE TABLE term (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    term text NOT NULL,
    count integer NOT NULL,
    UNIQUE (space, place, term)
);
CREATE TABLE passage (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    row integer NOT NULL,
    id text NOT NULL,
    scope text NOT NULL,
    path text NOT NULL,
    line integer NOT NULL,
    sha256 text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    scoped boolean NOT NULL,
    updated text NOT NULL,
    crc bigint NOT NULL,
    title text NOT NULL,
    called text NOT NULL,
    ts text NOT NULL,
    said_by text NOT NULL,
    worded text NOT NULL,
    plain text NOT NULL,
    asks real NOT NULL,
    length integer NOT NULL,
    size integer NOT NULL,
    terms integer[] NOT NULL,
    weights real[] NOT NULL,
    names text[] NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (space, row)
);
CREATE INDEX passage_id ON passage (space, id);
CREATE INDEX passage_place ON passage (space, scope, path);
CREATE INDEX passage_terms ON passage USING gin (terms);
CREATE TABLE link (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    scope text NOT NULL,
    path text NOT NULL,
    old text NOT NULL,
    new text NOT NULL,
    since text NOT NULL
);
CREATE INDEX link_place ON link (space, scope, path);
CREATE TABLE problem (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    scope text NOT NULL,
    path text NOT NULL,
    line integer,
    reason text NOT NULL,
    hint text NOT NULL
);
CREATE INDEX problem_place ON problem (space, scope, path);
CREATE TABLE event (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    id text NOT NULL,
    ts text NOT NULL,
    client text NOT NULL,
    session text NOT NULL,
    name text NOT NULL,
    text text NOT NULL,
    segment bigint NOT NULL,
    place bigint NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX event_ts ON event (space, ts COLLATE "C", id COLLATE "C");
CREATE TABLE spoken (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    row integer NOT NULL,
    kind text NOT NULL,
    id text NOT NULL,
    part integer NOT NULL,
    "group" text NOT NULL,
    number integer NOT NULL,
    ts text NOT NULL,
    client text NOT NULL,
    said_by text NOT NULL,
    worded text NOT NULL,
    plain text NOT NULL,
    asks real NOT NULL,
    length integer NOT NULL,
    size integer NOT NULL,
    terms integer[] NOT NULL,
    weights real[] NOT NULL,
    names text[] NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (space, row)
);
CREATE UNIQUE INDEX spoken_id ON spoken (space, id, part);
CREATE INDEX spoken_group ON spoken (space, "group");
CREATE INDEX spoken_number ON spoken (space, number, row);
CREATE INDEX spoken_terms ON spoken USING gin (terms);
CREATE TABLE page (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    path text NOT NULL,
    stamp text NOT NULL,
    PRIMARY KEY (space, path)
);
CREATE TABLE total (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    passages bigint NOT NULL,
    terms bigint NOT NULL,
    groups bigint NOT NULL,
    PRIMARY KEY (space, place)
);
CREATE TABLE mention (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    name text NOT NULL,
    later smallint NOT NULL,
    row integer NOT NULL,
    "group" integer NOT NULL,
    PRIMARY KEY (space, place, name, later, row)
);
CREATE INDEX mention_row ON mention (space, place, row);
CREATE TABLE state (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    key text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (space, key)
);
