"""Removal in every other place: bundles, databases, servers, whole projects."""
