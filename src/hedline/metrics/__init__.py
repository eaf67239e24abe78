"""ROUGE and its companions."""
