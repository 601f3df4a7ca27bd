"""Blocks that stand in clients' files, brought up to date with memory; which running clients must read them again."""

import os

from holdfast.core.errors import Conflict, HoldfastError
from holdfast.render import STATE
from holdfast.render.block_files import NONE, TRIES, apply_plan, plan_refresh, read_setting
from holdfast.render.client_files import RenderPlan
from holdfast.render.stale_sessions import describe_restarts
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App


def refresh_blocks(app: App) -> None:
    """Bring what was rendered up to date with memory; trouble is a notice."""
    if TrackedFiles(app).holds(STATE.replace(os.sep, "/")) or read_setting(app) == NONE:
        return
    try:
        done = _refresh_with_retry(app)
        words = describe_restarts(app, {change.target for change in done.changed_files})
    except (HoldfastError, OSError) as error:
        app.notices.append(f"The blocks in clients' files were not renewed: {error}")
        return
    app.notices.extend(f"The block in {each.name} was left alone: {each.reason} {each.hint}" for each in done.left)
    if done.changed_files:
        app.notices.append(f"Renewed the block in {', '.join(change.name for change in done.changed_files)}.")
    app.notices.extend(words)


def _refresh_with_retry(app: App) -> RenderPlan:
    """Plan and write, again if a file changed between the two."""
    for tries in range(TRIES):
        plan = plan_refresh(app)
        if plan.held:
            app.notices.append(
                "The blocks in clients' files stay as they are, for some memory is held back: look at it, then "
                "`holdfast allow` and `holdfast render`."
            )
            return RenderPlan()
        try:
            apply_plan(app, plan)
        except Conflict:
            if tries + 1 == TRIES:
                raise
        else:
            return plan
    return RenderPlan()
