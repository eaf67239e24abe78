"""Corpus readers, filters and splits."""
