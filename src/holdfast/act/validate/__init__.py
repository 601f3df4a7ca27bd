"""The project's own gates, run until they pass, nothing moves any more, or the budget is spent."""
