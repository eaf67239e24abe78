"""Benchmarks that print ratios against a peer or a limit."""
