"""Libraries that shape how code is written: worth saying that they are used here."""

PYTHON = {
    "aiohttp": "aiohttp", "alembic": "Alembic", "anyio": "AnyIO", "attr": "attrs", "attrs": "attrs", "celery": "Celery",
    "click": "Click", "django": "Django", "rest_framework": "Django REST framework", "fastapi": "FastAPI",
    "flask": "Flask", "httpx": "HTTPX", "hypothesis": "Hypothesis", "jinja2": "Jinja", "keras": "Keras",
    "litestar": "Litestar", "marshmallow": "marshmallow", "msgspec": "msgspec", "numpy": "NumPy", "pandas": "pandas",
    "peewee": "Peewee", "polars": "Polars", "psycopg": "psycopg 3", "psycopg2": "psycopg2", "pydantic": "Pydantic",
    "pytest": "pytest", "redis": "Redis (redis-py)", "requests": "Requests", "rich": "Rich", "scrapy": "Scrapy",
    "sqlalchemy": "SQLAlchemy", "sqlmodel": "SQLModel", "starlette": "Starlette", "streamlit": "Streamlit",
    "structlog": "structlog", "tensorflow": "TensorFlow", "textual": "Textual", "tornado": "Tornado",
    "torch": "PyTorch", "trio": "Trio", "typer": "Typer",
}  # fmt: skip
SCRIPT = {
    "@angular/core": "Angular", "@nestjs/common": "NestJS", "@prisma/client": "Prisma",
    "@reduxjs/toolkit": "Redux Toolkit",
    "@tanstack/react-query": "TanStack Query", "@testing-library/react": "Testing Library", "astro": "Astro",
    "axios": "axios", "chai": "Chai", "drizzle-orm": "Drizzle", "express": "Express", "fastify": "Fastify",
    "graphql": "GraphQL", "hono": "Hono", "jest": "Jest", "koa": "Koa", "lodash": "lodash", "mobx": "MobX",
    "mongoose": "Mongoose", "next": "Next.js", "nuxt": "Nuxt", "react": "React", "react-native": "React Native",
    "redux": "Redux", "rxjs": "RxJS", "sequelize": "Sequelize", "solid-js": "Solid", "svelte": "Svelte",
    "tailwindcss": "Tailwind CSS", "typeorm": "TypeORM", "vitest": "Vitest", "vue": "Vue", "zod": "Zod",
    "zustand": "Zustand", "@playwright/test": "Playwright",
}  # fmt: skip
