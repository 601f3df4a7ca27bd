"""Blocks of memory in clients' files, kept in step: one call for whoever changes memory. Little is loaded for it."""

import os

from holdfast.wiring.app import App

STATE = os.path.join("state", "rendered.json")


def renew_blocks(app: App) -> None:
    """Bring the blocks that stand in clients' files in step with memory, if the user ever had some rendered here.

    No trouble with them undoes what was done to memory: it is a notice.
    """
    if not app.workspace or not os.path.exists(os.path.join(app.folder, STATE)):
        return
    from holdfast.wiring.blocks import renew

    renew(app)
