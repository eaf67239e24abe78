"""The numbers printed in the paper (Rush, Chopra & Weston 2015), to stand beside ours."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]  # ROUGE-1, ROUGE-2, ROUGE-L


@dataclass(frozen=True)
class Published:
    """One row of Table 1: DUC-2004 (recall at 75 bytes), Gigaword as printed, and Ext. % on Gigaword."""

    duc: Triple | None = None
    gigaword: Triple | None = None
    extractive: float | None = None


TABLE1: dict[str, Published] = {
    "IR": Published((11.06, 1.67, 9.67), (16.91, 5.55, 15.58), 29.2),
    "PREFIX": Published((22.43, 6.49, 19.65), (23.14, 8.25, 21.73), 100.0),
    "COMPRESS": Published((19.77, 4.02, 17.30), (19.63, 5.13, 18.28), 100.0),
    "W&L": Published((22.0, 6.0, 17.0)),
    "TOPIARY": Published((25.12, 6.46, 20.12)),
    "MOSES+": Published((26.50, 8.13, 22.85), (28.77, 12.10, 26.44), 70.5),
    "ABS": Published((26.55, 7.06, 22.05), (30.88, 12.22, 27.77), 85.4),
    "ABS+": Published((28.18, 8.49, 23.81), (31.00, 12.65, 28.34), 91.5),
    "REFERENCE": Published((29.21, 8.38, 24.46), None, 45.6),
}

# Perplexity on the Gigaword validation set.
TABLE2: dict[str, float] = {"kn5": 183.2, "none": 145.9, "bow": 43.6, "conv": 35.9, "attention": 27.1}

# ROUGE recall on DUC-2003 (75 bytes).
TABLE3: dict[str, Triple] = {
    "greedy ABS+": (26.67, 6.72, 21.70),
    "beam BoW": (22.15, 4.60, 18.23),
    "beam ABS+ extractive": (27.89, 7.56, 22.84),
    "beam ABS+": (28.48, 8.91, 23.97),
}

# Figure 1: the input, and the headline the paper's model wrote for it.
FIGURE1_INPUT = (
    "russian defense minister ivanov called sunday for the creation of a joint front for combating global terrorism"
)
FIGURE1_HEADLINE = "russia calls for joint front against terrorism"
