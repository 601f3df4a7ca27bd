"""What is forgotten for another machine, and the proof."""

from pydantic import Field

from holdfast.server.http.shapes.base_shape import ApiBody, ApiView


class ForgetBody(ApiBody):
    """What to purge: a text letter for letter, a person or thing, or ids with the lines they hold; one of them."""

    text: str = Field(default="", max_length=2000)
    subject: str = Field(default="", max_length=200)
    ids: list[str] = Field(default=[], max_length=500)
    lines: list[str] = Field(default=[], max_length=5000)
    because: str = Field(default="", max_length=1000)
    dry_run: bool = Field(default=False, description="Only say what would go.")


class ForgottenView(ApiView):
    """What went (or would), and what was searched afterwards. `found`: where it still is."""

    memories: list[str]
    events: int
    log_lines: int
    records: int
    files: int
    size: int
    rows: int = Field(default=0, description="Rows of the team's database that were searched.")
    found: list[str]
    unreachable: list[str]


class PurgeMarksBody(ApiBody):
    """Marks of what was purged elsewhere: `memory:ID`, `file:SHA256`, `event:ID`."""

    marks: list[str] = Field(max_length=1000)


class PurgeMarksView(ApiView):
    """Marks of what was purged here. They hold no words."""

    marks: list[str]
