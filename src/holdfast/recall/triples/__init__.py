"""Facts that a model read in memories: subject, relation, object; edges of the graph."""
