"""The Kneser-Ney n-gram language model (Table 2, first row).

estimate makes a model from encoded sentences; model scores; arpa exchanges it with other tools.
"""
