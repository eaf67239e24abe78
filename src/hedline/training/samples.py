"""What the model writes right now: a few greedy headlines after each epoch, and a check that they are not all one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from hedline.models.batch import END, START, UNKNOWN
from hedline.models.torch_scorer import next_word_scores

MOST_WORDS = 20


def greedy(model: Any, inputs: Tensor, lengths: Tensor, most: int = MOST_WORDS) -> list[list[int]]:
    """The likeliest next word again and again, for inputs (B, M); ids without `</s>`."""
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        scores = next_word_scores(model, inputs, lengths)
        outputs = torch.full_like(inputs[:, :1], START)
        for _ in range(most):
            step = scores(outputs)
            step[:, [0, START, UNKNOWN]] = -torch.inf
            outputs = torch.cat([outputs, step.argmax(dim=1, keepdim=True)], dim=1)
            if bool((outputs == END).any(dim=1).all()):
                break
    model.train(was_training)
    return [row[: row.index(END)] if END in row else row for row in outputs[:, 1:].tolist()]


def collapse_warning(headlines: Sequence[Sequence[int]]) -> str | None:
    """A sentence when the outputs of many inputs are (nearly) the same, None when all is well."""
    inputs = len(headlines)
    if inputs < 8:
        return None
    text, times = Counter(tuple(headline) for headline in headlines).most_common(1)[0]
    if times < max(4, inputs // 3):
        return None
    what = "empty headlines" if not text else "the same headline"
    return (
        f"warning: the model writes {what} for {times} of {inputs} inputs; it ignores its input so far. If this "
        "stays so after some epochs, train longer, lower --lr, or look at the data"
    )
