"""Results that say how they came about: JSON files of rows, each with its own provenance; and what is asked for.

A row is kept, not measured again, as long as its configuration, its data and its model are the same; an interrupted
reproduction therefore continues where it stopped.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import hedline
from hedline.api import find_model, read_defaults
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import Checked, DecodeOptions
from hedline.errors import UserError
from hedline.files import LOG, digest, digest_of_files, read_json, write_json
from hedline.metrics.rouge import Measured
from hedline.settings import again, setting

Options = Mapping[str, Any]

# The networks of Table 2, ABS as the paper prints it (`printed`), the same trained by the paper's own recipe (`paper`),
# ABS with our options, and what came after.
MODELS = ("none", "bow", "conv", "printed", "paper", "options", "rnn", "lstm", "transformer")
SHIPPED = {"options": "abs", "transformer": "default"}  # what stands in for a folder that is not there


@dataclass(frozen=True)
class Request(Checked):
    """The arguments of `hedline reproduce`.

    The shipped models stand in for two of `models` (MODELS). options: decoding options of every row. seed: where it is
    not the one that the models' folders name (decoding draws no random numbers). Without `systems` all rows of Table 1
    and of faithfulness are measured.
    """

    results: Path = setting(Path("results"), "Folder of the JSON results.")
    models: Path | None = setting(None, "Folder of models: none, bow, conv, printed, paper, options, rnn, lstm …")
    data: Path | None = setting(None, "Data folder of `hedline prepare` (table2).")
    sets: tuple[Path, ...] = setting(
        (), "Evaluation set or pairs file (table1, table3, faithfulness); repeatable.", names=("--set",)
    )
    limit: int | None = setting(None, "Only the first N items of each set.", least=1)
    workers: int = setting(1, "Processes that decode.", least=1)
    seed: int | None = setting(None, "The models' training seed, noted with the rows.")
    preset: str = again(Measured, "preset", "Table 1 by gigaword (F1) or duc (recall at 75 bytes).")
    systems: tuple[str, ...] = setting(
        (), "Only this row (table1, prototypes, faithfulness); repeatable.", names=("--system",)
    )
    force: bool = setting(False, "Measure again what is already in the results.", names=("--force",))
    allow_dirty: bool = setting(
        False, "Measure with code that is not committed; the rows say so.", names=("--allow-dirty",)
    )
    options: Options = field(default_factory=dict)

    def model(self, name: str) -> Path | None:
        """The folder of a model, that of a shipped one where there is one, None where it was not built."""
        folder = self.models / name if self.models else None
        if folder and (folder / "config.json").is_file():
            return folder
        return find_model(SHIPPED[name]) if name in SHIPPED else None

    def check_models(self) -> None:
        """Stop if a folder of models was named and is not there; without one the shipped models are measured."""
        if self.models is not None and not self.models.is_dir():
            raise UserError(f"{self.models} is no folder of model folders; it must hold some of {', '.join(MODELS)}")

    def check_code(self) -> None:
        """Stop where the code is not that of its commit: nobody could measure the row again."""
        if not self.allow_dirty and (commit() or "").endswith(CHANGED):
            raise UserError(
                "the code has changes that are not committed, so nobody could repeat the measurement; commit them, or "
                "give --allow-dirty and the rows will say so"
            )

    def open(self, name: str) -> Results:
        """The stored results of an experiment."""
        return Results(self.results, name, self.force)

    def set_files(self, experiment: str) -> tuple[Path, ...]:
        """The files named with --set; at least one."""
        if not self.sets:
            raise UserError(f"{experiment} needs --set, an evaluation set or a pairs file (it may be given twice)")
        return self.sets

    def evaluation_sets(self, experiment: str) -> list[EvaluationSet]:
        """The sets named with --set, read up to the limit."""
        return [EvaluationSet.read(path, self.limit) for path in self.set_files(experiment)]


@dataclass(frozen=True)
class EvaluationSet:
    """A named set; fingerprint: of the items read, so that it does not depend on how the file is compressed."""

    name: str
    items: list[EvaluationItem]
    fingerprint: str

    @classmethod
    def read(cls, path: Path, limit: int | None = None) -> EvaluationSet:
        """Read a set; its name is the file's up to the first point."""
        items = read_evaluation_set(path, limit)
        found = digest("\0".join([item.lead, *item.references, "\n"]) for item in items)
        return cls(path.name.partition(".")[0], items, found[:16])

    @property
    def leads(self) -> list[str]:
        """The inputs."""
        return [item.lead for item in self.items]

    def identify(self, options: Options, folder: Path | None, request: Request, **others: str) -> dict[str, Any]:
        """The identity of a row that decodes this set; others: what else decides its numbers."""
        configuration = {**others, "set": self.name, "items": len(self.items), "options": options}
        return identify(configuration, self.fingerprint, folder, request)


CHANGED = "+"  # after a commit whose code was changed
Row = dict[str, Any]
T = TypeVar("T")
IDENTITY = ("configuration", "data", "model", "seed")


class Results:
    """The rows of one experiment, read from and written to `<folder>/<name>.json`.

    force: what is there already is measured again.
    """

    def __init__(self, folder: Path, name: str, force: bool = False) -> None:
        self.path = folder / f"{name}.json"
        stored = read_json(self.path) if self.path.is_file() else {"name": name, "rows": {}}
        if not isinstance(stored, dict) or not isinstance(stored.get("rows"), dict):
            raise UserError(f"{self.path} does not hold results of `hedline reproduce`; move it away")
        self.name, self.rows, self.force = name, dict(stored["rows"]), force

    def has(self, key: str, identity: dict[str, Any]) -> bool:
        """Whether a row was already measured under exactly these conditions."""
        known = self.rows.get(key, {}).get("provenance", {})
        return key in self.rows and all(known.get(name) == identity.get(name) for name in IDENTITY)

    def measure(self, key: str, identity: dict[str, Any], work: Callable[[], T], keep: Callable[[T], Row]) -> None:
        """Put a row unless it is there already. work: what is timed; keep: what the row holds of its result."""
        if self.has(key, identity) and not self.force:
            return
        begin = time.monotonic()
        found = work()
        seconds = time.monotonic() - begin
        self.put(key, keep(found), identity, seconds)

    def put(self, key: str, values: Row, identity: dict[str, Any], seconds: float) -> None:
        """Add or replace a row and save at once; a number made elsewhere says so in a `provenance` of its own."""
        made = {**identity, **circumstances(seconds), **values.get("provenance", {})}
        self.rows[key] = {**values, "provenance": made}
        write_json(self.path, {"name": self.name, "rows": self.rows})


def set_names(rows: Mapping[str, Row]) -> list[str]:
    """The sets that rows called `<set>/<system>` were measured on."""
    return sorted({key.partition("/")[0] for key in rows})


def identity(
    configuration: dict[str, Any], data: str, model: str | None = None, seed: int | None = None
) -> dict[str, Any]:
    """What decides a row's numbers; two rows with equal identities are the same measurement."""
    return {"configuration": configuration, "data": data, "model": model, "seed": seed}


def identify(configuration: dict[str, Any], data: str, folder: Path | None, request: Request) -> dict[str, Any]:
    """The identity of a row: with a model's settled decoding and training seed. folder: None without a model."""
    if folder is None:
        return identity(configuration, data, None, request.seed)
    if "options" in configuration:
        configuration = {**configuration, "decoding": settled_options(folder, configuration["options"])}
    seed = request.seed if request.seed is not None else training_seed(folder)
    return identity(configuration, data, model_fingerprint(folder), seed)


def settled_options(folder: Path, options: Options) -> dict[str, Any]:
    """What the search really uses: options, the model's tuned weights and decoding, and the defaults, as plain JSON."""
    found = asdict(read_defaults(folder).settle(DecodeOptions(**options)))
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def training_seed(folder: Path) -> int | None:
    """The seed in a model's config.json; None for a model that does not say."""
    training = read_json(folder / "config.json").get("training")
    seed = training.get("config", {}).get("seed") if isinstance(training, dict) else None
    return seed if isinstance(seed, int) else None


def circumstances(seconds: float) -> dict[str, Any]:
    """When, where and with what a row was measured."""
    return {
        "seconds": round(seconds, 2),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "hardware": hardware(),
        "hedline": hedline.__version__,
        "commit": commit(),
        "dirty": (commit() or "").endswith(CHANGED),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def hardware() -> str:
    """Processor, cores and memory in one line; the GPU too where torch has been loaded and sees one."""
    parts = [_processor(), f"{os.cpu_count()} cores"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        parts.append(f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB")
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        parts.append(torch.cuda.get_device_name())
    return ", ".join(parts)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str | None:
    """The commit of the checkout this package runs from, `+` when it has changes; None outside a checkout."""
    folder = Path(__file__).resolve().parents[3]
    if not (folder / ".git").exists():
        return None
    revision = _git(folder, "rev-parse", "--short=12", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", "src")
    return None if revision is None else revision + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def file_fingerprint(*paths: Path) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of the files that exist among `paths`, in this order."""
    return digest_of_files(paths)[:16]


# What stands in a model folder without deciding its headlines.
_ASIDE = {"README.md", "training.jsonl", LOG, "curves.svg", "checkpoint.safetensors"}


def model_fingerprint(folder: Path) -> str:
    """The fingerprint of what decides a model's headlines: every file but the card and the training's own."""
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} is no model folder (it has no config.json)")
    deciding = sorted(path for path in folder.iterdir() if path.name not in _ASIDE and not path.name.startswith("."))
    return file_fingerprint(*deciding)
