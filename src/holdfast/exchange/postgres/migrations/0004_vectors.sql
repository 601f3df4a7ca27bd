-- Vectors of the passages, one row a passage and model; HNSW by model, since an index knows one length only.
CREATE TABLE vector (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    row integer NOT NULL,
    model text NOT NULL,
    tokens integer[] NOT NULL,
    v halfvec NOT NULL,
    PRIMARY KEY (space, place, row, model)
);
CREATE INDEX vector_model ON vector (space, place, model);
CREATE TABLE meaning (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    model text NOT NULL,
    dims integer NOT NULL,
    count bigint NOT NULL,
    total double precision[] NOT NULL,
    PRIMARY KEY (space, place, model)
);
CREATE TABLE token (
    space bigint NOT NULL REFERENCES space ON DELETE CASCADE,
    place text NOT NULL,
    model text NOT NULL,
    token integer NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (space, place, token, model)
);

-- An index for the vectors of a model, made when the first of them comes.
CREATE FUNCTION index_vectors(model_name text, dims integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON vector USING hnsw ((v::halfvec(%s)) halfvec_cosine_ops) WHERE model = %L',
        'vector_hnsw_' || substr(md5(model_name), 1, 16), dims, model_name);
END
$$;
