"""The systems that Table 1 of the paper compares with, each fitted on pairs and run through one interface."""
