"""What a caller gets back: lists of candidates as text."""

from __future__ import annotations

import numpy as np

from hedline.decoding.summary import Hypothesis, zmert_lines

ALIGNMENT = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]], np.float32)


BEST = Hypothesis("Ferry <sinks>", -1.5, ("Ferry", "<sinks>"), {"log_prob": -1.5}, ALIGNMENT, (True, False), -1.0)


def test_z_mert_lines():
    assert list(zmert_lines(3, [BEST], ("log_prob", "unigram"))) == ["3 ||| Ferry <sinks> ||| -1.500000 0.000000"]
