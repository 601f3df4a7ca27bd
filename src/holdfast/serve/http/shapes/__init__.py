"""What the server takes and gives, in pydantic: the contract that OpenAPI and Studio's types come from."""
