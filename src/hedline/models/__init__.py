"""Section 3 of the paper, in torch."""
