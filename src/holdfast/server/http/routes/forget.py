"""Purging for another machine, and marks of what was purged: nobody brings it back."""

from typing import Any

from holdfast.exchange.removal.server_removal import add_own_words, build_query, forget_here, to_purge_words
from holdfast.forget.tombstones import accept_marks, read_own_marks
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.routes.route_parts import Reads, Reviews, make_router
from holdfast.server.http.shapes import forget_shapes as shapes
from holdfast.workspace import App

ROUTER = make_router("forget")


@ROUTER.post("/forget", response_model=shapes.ForgottenView, operation_id="purge")
async def forget(given: shapes.ForgetBody, workspace: Opened, _: Reviews) -> shapes.ForgottenView:
    """Purge from journal, memory, records and index, and from the team's database where this is a project of one."""
    asked = build_query(given.text, given.subject, given.ids, given.lines)

    def purged(app: App) -> dict[str, Any]:
        sought = add_own_words(app, asked)
        told = forget_here(app, sought, given.because, dry_run=given.dry_run)
        if given.dry_run or workspace.link is None:
            return told
        rows = workspace.link.purge(to_purge_words(sought), given.because)
        return told | {"rows": rows.rows, "found": [*told["found"], *(f"database: {table}" for table in rows.found)]}

    return shapes.ForgottenView(**await workspace.change(purged))


@ROUTER.get("/sync/gone", response_model=shapes.PurgeMarksView, operation_id="getPurged")
async def list_purge_marks(workspace: Opened, _: Reads) -> shapes.PurgeMarksView:
    """The marks of what was purged."""
    return shapes.PurgeMarksView(marks=sorted(await workspace.do(read_own_marks)))


@ROUTER.post("/sync/gone", response_model=shapes.PurgeMarksView, operation_id="sendPurged")
async def add_purge_marks(given: shapes.PurgeMarksBody, workspace: Opened, _: Reviews) -> shapes.PurgeMarksView:
    """Keep marks of what was purged elsewhere; exact copies of it go."""
    await workspace.change(lambda app: accept_marks(app, given.marks))
    return shapes.PurgeMarksView(marks=sorted(await workspace.do(read_own_marks)))
