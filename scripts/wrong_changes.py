"""Makes each of a list of wrong changes in a copy of the package and runs the one test that must notice it.

    python scripts/wrong_changes.py            # all of them, a line each; exit status 1 when one survives
    python scripts/wrong_changes.py shuffle    # those whose name holds the word

The list is kept by hand: each entry is a mistake somebody could make in good faith and that a whole suite once let
pass. `make mutants` looks for others by machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[1]


class Change(NamedTuple):
    """What is changed where (below src/hedline), and the test (below tests, a pytest expression after a space)."""

    name: str
    file: str
    old: str
    new: str
    test: str


SEARCH, LEXICON = "decoding/search.py", "decoding/word_lexicon.py"
MERGING = "decoding/test_recombination.py"
OPTIMIZER, STEPS, LOOP = "training/optimizer.py", "training/test_optimizer.py", "training/test_loop.py"
CHANGES = [
    Change("recombination off", SEARCH, "if plan.recombine and context", "if False and context", MERGING),
    Change("merge key one word short", LEXICON, "max(context - 1, 1)", "max(context - 2, 1)", MERGING),
    Change("used-up words not in the key", LEXICON, "state.place[:, None], state.marks[:, None]]",
           "state.place[:, None]]", MERGING),
    Change("a place used twice", LEXICON, "columns.last_place[owner] <= state", "columns.last_place[owner] < state",
           MERGING),
    Change("renormalisation never called", "training/loop.py", "if config.renormalize:", "if False:",
           f"{LOOP} renormalised"),
    Change("renormalisation not for G", "models/nnlm.py", "found.append(encoder.G.weight)", "pass",
           f"{LOOP} renormalised"),
    Change("halving against the epoch before", "training/loop.py", "place.best = min(place.best, judged)",
           "place.best = judged", f"{LOOP} halving"),
    Change("no shuffle within a length", "training/batches.py", "order = random.permutation(len(pairs))",
           "order = np.arange(len(pairs))", "training/test_batches.py one_length"),
    Change("PREFIX of 85 bytes in evaluate", "experiments/evaluate.py", "run_prefix(leads, bytes=75)",
           "run_prefix(leads, bytes=85)", "experiments/test_evaluate.py prefix"),
    Change("PREFIX of 85 bytes in Table 1", "experiments/systems.py", '"bytes": 75', '"bytes": 85',
           "experiments/test_table1.py table1"),
    Change("perplexity without <unk>", "training/perplexity.py", "exp(both, words)", "exp(both - rare, words)",
           "training/test_perplexity.py perplexity"),
    Change("known words' perplexity with <unk>", "training/perplexity.py", "exp(both - rare, words - odd_words)",
           "exp(both, words - odd_words)", "training/test_perplexity.py perplexity"),
    Change("the worst epoch recorded", "training/loop.py", "min(place.best, judged)", "max(place.best, judged)",
           f"{LOOP} learns or halving"),
    Change("the worst epoch kept", "training/folder_writer.py", 'if improved or self', 'if not improved or self',
           "training/test_run_training.py kept_epoch"),
    Change("fingerprint without tuning.json", "experiments/record.py", "in _ASIDE and",
           'in {*_ASIDE, "tuning.json"} and',
           "experiments/test_record.py fingerprint"),
    Change("one-sided paired bootstrap", "metrics/resampling.py", "shifted = np.abs(means - means.mean(axis=0))",
           "shifted = means - means.mean(axis=0)", "metrics/test_resampling.py bootstrap"),
    Change("p of zero", "metrics/resampling.py", "(exceeded + 1) / (draws + 1)", "exceeded / draws",
           "metrics/test_resampling.py zero"),
    Change("last round kept", "tuning/rounds.py", "best = self._best()\n        return Tuning",
           "best = self.rounds[-1]\n        return Tuning", "tuning/test_rounds.py best_round"),
    Change("no random directions", "tuning/mert.py", "for _ in range(count if len(free) > 1 else 0):",
           "for _ in range(0):", "tuning/test_mert.py directions"),
    Change("no restarts", "tuning/mert.py", "for _ in range(options.restarts)]", "for _ in range(0)]",
           "tuning/test_mert.py restarts"),
    Change("duc decodes 200 bytes in evaluate", "metrics/rouge.py", 'Preset("duc", headline="R", bytes=75)',
           'Preset("duc", headline="R", bytes=200)', "experiments/test_evaluate.py duc"),
    Change("duc decodes at any length in tune", "metrics/rouge.py",
           'given = {"bytes": self.bytes, "words": self.words}', 'given = {"words": self.words}',
           "tuning/test_tune.py duc"),
    Change("a blank line ends a table", "corpora/tables.py", "perhaps of spaces\n                continue",
           "perhaps of spaces\n                return", "corpora/test_tables.py blank"),
    Change("Parquet rows counted per batch", "corpora/tables.py", "for row in batch.to_pylist():\n",
           "row_number = 0\n                for row in batch.to_pylist():\n", "corpora/test_tables.py parquet"),
    Change("DUC joins at 131 characters", "corpora/duc.py", "SHORT_CHARACTERS = 130", "SHORT_CHARACTERS = 131",
           "corpora/test_duc.py 130"),
    Change("the release's lengths", "corpora/filters.py", "10 < len(candidate.lead_words) < 100",
           "10 <= len(candidate.lead_words) <= 100", "corpora/test_filters.py releases"),
    Change("the average's exponent", OPTIMIZER, "(10 + step)) ** gap", "(10 + step))", f"{STEPS} average"),
    Change("decay on biases", OPTIMIZER, 'value.dim() <= 1], "weight_decay": 0.0',
           'value.dim() <= 1], "weight_decay": config.weight_decay', f"{STEPS} biases"),
    Change("beta2 ignored", OPTIMIZER, "betas=(0.9, config.beta2)", "betas=(0.9, 0.999)", f"{STEPS} beta2"),
    Change("doctor silent about a missing package", "doctor.py",
           'problems = [f"{name} is not installed" for name in missing]', "problems: list[str] = []",
           "cli/test_doctor.py missing_package"),
    Change("files of mode 0600", "files.py", "finished.chmod(_rights(target))", "pass", "test_files.py umask"),
    Change("no identity in the convolution", "models/encoders.py",
           "layer.weight[:, :, shape.Q] += torch.eye(shape.H)", "pass",
           "models/test_encoders.py convolution_starts"),
    Change("the identity at another tap", "models/encoders.py", "layer.weight[:, :, shape.Q] +=",
           "layer.weight[:, :, 0] +=", "models/test_encoders.py convolution_starts"),
]  # fmt: skip


def noticed(change: Change, copy: Path) -> str:
    """Make the change, run its test, take the change back: `noticed`, `SURVIVED` or `STALE` (nothing to change)."""
    path = copy / "src" / "hedline" / change.file
    before = path.read_text(encoding="utf-8")
    if before.count(change.old) != 1:
        return "STALE"
    path.write_text(before.replace(change.old, change.new), encoding="utf-8")
    file, _, words = change.test.partition(" ")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{file}"]
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command + (["-k", words] if words else []), cwd=copy, env=environment, capture_output=True, check=False
        )
    finally:
        path.write_text(before, encoding="utf-8")
    return {0: "SURVIVED", 1: "noticed"}.get(done.returncode, "STALE")


def main() -> int:
    """Try the chosen changes in a scratch copy of the checkout."""
    chosen = [change for change in CHANGES if all(word in change.name for word in sys.argv[1:])]
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "*.pyc", ".mypy_cache", ".ruff_cache")
        shutil.copytree(CHECKOUT, copy, ignore=ignored)
        for change in chosen:
            verdicts.append(noticed(change, copy))
            print(f"{verdicts[-1]:>9}  {change.name}", flush=True)
    print(f"{verdicts.count('noticed')} of {len(verdicts)} wrong changes noticed")
    return int(set(verdicts) != {"noticed"})


if __name__ == "__main__":
    sys.exit(main())
