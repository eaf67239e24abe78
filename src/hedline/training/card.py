"""The model card (README.md of a model folder) as training can write it; scores are added when they are measured."""

from __future__ import annotations

from typing import Any

from hedline.data.dataset import Dataset
from hedline.models.model import architecture_table
from hedline.progress import duration


def model_card(trainer: Any, dataset: Dataset, training: dict[str, Any]) -> str:
    """What it is, how it was made, how well it does on the validation data."""
    shape = ", ".join(f"{key} {value}" for key, value in architecture_table(trainer.model).items())
    config = ", ".join(f"{key} {value}" for key, value in trainer.config.table().items())
    rows = [
        "| epoch | train perplexity | valid | valid without unknown words |",
        "|---|---|---|---|",
        *(_row(row) for row in trainer.place.history),
    ]
    base = training.get("base")
    origin = f"\n- Trained further from the model `{base['model']}` (weights {base['weights']})" if base else ""
    return f"""# A hedline model ({trainer.model.family})

- Architecture: {shape}
- Data: {len(trainer.train_split):,} pairs, fingerprint `{dataset.fingerprint}`; {dataset.input_size:,} input and
  {dataset.output_size:,} output {dataset.units}{origin}
- Training: {config}
- Made on {training["device"]} with torch {training["torch"]} in {duration(trainer.seconds())}
- Licence of the weights: what the training data allow; state it here before you share the model

Perplexities are per word with the end of the headline, `<unk>` counted as a word:

{chr(10).join(rows)}
"""


def _row(row: dict[str, Any]) -> str:
    def show(name: str) -> str:
        return f"{row[name]:.2f}" if row.get(name) is not None else ""

    return f"| {row['epoch']:g} | {show('train')} | {show('valid')} | {show('valid_known')} |"
