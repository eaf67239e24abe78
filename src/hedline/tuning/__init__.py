"""Minimum error rate training (Section 5)."""
