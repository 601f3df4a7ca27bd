"""What can be asked for, by subject."""

from fastapi import APIRouter

from holdfast.serve.http.routes import (
    candidates,
    forget,
    health,
    lineage,
    memories,
    project,
    records,
    runs,
    searching,
    sessions,
    settings,
    signals,
    streams,
    sync,
    team,
    workspaces,
)

ROUTERS: tuple[APIRouter, ...] = (
    workspaces.ROUTER, project.ROUTER, memories.ROUTER, candidates.ROUTER, searching.ROUTER,
    runs.ROUTER, lineage.ROUTER, sessions.ROUTER, signals.ROUTER, records.ROUTER, health.ROUTER, settings.ROUTER,
    streams.ROUTER, sync.ROUTER, team.ROUTER, forget.ROUTER,
)  # fmt: skip
