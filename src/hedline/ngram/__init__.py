"""The Kneser-Ney n-gram language model (Table 2, first row)."""
