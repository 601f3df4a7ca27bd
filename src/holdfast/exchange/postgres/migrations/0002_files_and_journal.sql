-- Memory and candidate files, byte for byte; a change is a compare-and-swap on sha256.
CREATE TABLE file (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    path text NOT NULL,
    data bytea NOT NULL,
    sha256 text NOT NULL,
    ids text[] NOT NULL,
    changed bigint NOT NULL,
    author text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space, place, path)
);
CREATE INDEX file_ids ON file USING gin (ids);

-- What happened in a space, numbered without gaps in the order of commits: who missed a notification reads on here.
CREATE TABLE feed (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    n bigint NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    author text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space, n)
);

-- The journal. Bodies are ASCII JSON in text, since jsonb holds neither NUL nor half a surrogate pair.
CREATE TABLE journal (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    n bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    ts text NOT NULL,
    key bytea,
    hidden boolean NOT NULL DEFAULT false,
    crc bigint NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (space, n),
    UNIQUE (space, id)
);
CREATE UNIQUE INDEX journal_key ON journal (space, key) WHERE key IS NOT NULL;

CREATE TABLE counter (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    name text NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (space, name)
);

-- Records of the work beside memory: runs, ratings, what models cost. One row is one file, or one line of one.
CREATE TABLE record (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    kind text NOT NULL,
    id text NOT NULL,
    ts text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (space, kind, id)
);
CREATE INDEX record_ts ON record (space, kind, ts);
