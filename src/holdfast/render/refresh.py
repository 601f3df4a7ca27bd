"""Pages and blocks made of memory, kept up to date: one call for whoever changes memory. Little is loaded for it."""

import os

from holdfast.distil.memory_page import refresh_memory_page
from holdfast.render import STATE
from holdfast.workspace import App


def refresh_generated(app: App) -> None:
    """Bring the index, the page of memory and the blocks up to date with what was just written."""
    app.refresh()
    refresh_memory_page(app)
    refresh_rendered_blocks(app)


def refresh_rendered_blocks(app: App) -> None:
    """Bring the blocks that stand in clients' files up to date with memory, if the user ever had some rendered here.

    No trouble with them undoes what was done to memory: it is a notice.
    """
    if not app.workspace or not os.path.exists(os.path.join(app.folder, STATE)):
        return
    from holdfast.render.refresh_blocks import refresh_blocks

    refresh_blocks(app)
