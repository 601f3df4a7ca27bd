"""What the server takes and gives, in pydantic: the contract of OpenAPI and Studio."""
