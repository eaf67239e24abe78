"""Encoded data: what training reads."""
