"""What can be asked for, by subject."""

from fastapi import APIRouter

from holdfast.server.http.routes import (
    find,
    forget,
    health,
    injections,
    lineage,
    memories,
    project,
    records,
    review_queue,
    runs,
    sessions,
    settings,
    signals,
    streams,
    sync,
    team,
    workspaces,
)

ROUTERS: tuple[APIRouter, ...] = (
    workspaces.ROUTER, project.ROUTER, memories.ROUTER, review_queue.ROUTER, find.ROUTER,
    runs.ROUTER, lineage.ROUTER, sessions.ROUTER, injections.ROUTER, signals.ROUTER, records.ROUTER, health.ROUTER,
    settings.ROUTER, streams.ROUTER, sync.ROUTER, team.ROUTER, forget.ROUTER,
)  # fmt: skip
