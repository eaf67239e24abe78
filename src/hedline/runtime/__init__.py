"""The model folder and the numpy scorers: everything needed to run a model without torch."""
