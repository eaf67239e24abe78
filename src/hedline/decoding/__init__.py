"""Section 4 and 5 of the paper: search, constraints, features, results."""
