"""The only place that builds: stages, backends and settings brought together."""
