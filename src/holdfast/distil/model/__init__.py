"""The distiller by a model: the conversation rendered, the answer checked, the evidence looked up."""
