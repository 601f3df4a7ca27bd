"""What a tool gave back, as text."""


def text_of(value: object) -> str:
    """The words in whatever a tool gave back."""
    match value:
        case str():
            return value
        case {"stdout": str() as out, **rest}:
            return "\n".join(part for part in (out, text_of(rest.get("stderr"))) if part)
        case (
            {"content": inner} | {"text": inner} | {"output": inner} | {"returnDisplay": inner} | {"llmContent": inner}
        ):
            return text_of(inner)
        case list():
            return "\n".join(filter(None, map(text_of, value)))
        case _:
            return ""
