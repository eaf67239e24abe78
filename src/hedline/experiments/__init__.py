"""The paper's tables and figures, on the data at hand."""
