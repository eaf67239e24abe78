"""The text layer: raw sentences to the paper's tokens, and back to readable text."""
