"""The one interface of all baselines (a limit, a fitted folder, headlines for a set), and the simplest of them, PREFIX.

A fitted baseline is a folder: `config.json` (`{"format": 1, "baseline": "ir", …}`, written last, so that a folder
without it is an unfinished fit) beside plain arrays and text files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from hedline.corpora.sets import EvaluationItem
from hedline.decoding.options import Checked, DecodeOptions
from hedline.errors import UserError
from hedline.files import is_file, read_json, write_json
from hedline.metrics.rouge import Measured
from hedline.settings import again, setting

FORMAT = 1
PREFIX_BYTES = 75  # of PREFIX's headlines, where no limit is given

# Name on the command line to `module:class`; a system's module, and what it needs, is imported when it is asked for.
SYSTEMS = {
    "prefix": "hedline.baselines.system:Prefix",
    "ir": "hedline.baselines.ir:Retrieval",
    "banko": "hedline.baselines.banko:Banko",
    "moses": "hedline.baselines.moses:Moses",
    "trimmer": "hedline.baselines.topiary:Trimmer",
    "topiary": "hedline.baselines.topiary:Topiary",
    "compress": "hedline.baselines.compress:Compress",
    "wl": "hedline.baselines.wl:WoodsendLapata",
}


@dataclass(frozen=True)
class Limit:
    """Hard limits on the final text; None is no limit."""

    bytes: int | None = None  # UTF-8
    words: int | None = None  # separated by white space

    def __post_init__(self) -> None:
        for name in ("bytes", "words"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"a limit of {value} {name} leaves no headline; give at least 1")

    def fits(self, text: str) -> bool:
        """Tell whether a text keeps both limits."""
        long = self.bytes is not None and len(text.encode("utf-8", "replace")) > self.bytes
        return not long and (self.words is None or len(text.split()) <= self.words)

    def cut(self, text: str) -> str:
        """Return as many whole words from the beginning as fit; a first word that is too long is cut itself.

        >>> Limit(bytes=12).cut("Storm closes northern ports"), Limit(words=3).cut("Storm closes northern ports")
        ('Storm closes', 'Storm closes northern')
        """
        words = text.split()[: self.words]
        if self.bytes is None:
            return " ".join(words)
        end, used = 0, -1
        while end < len(words) and used + 1 + len(words[end].encode("utf-8", "replace")) <= self.bytes:
            used += 1 + len(words[end].encode("utf-8", "replace"))
            end += 1
        if words and not end:
            return words[0].encode("utf-8", "replace")[: self.bytes].decode("utf-8", "ignore")
        return " ".join(words[:end])


@dataclass(frozen=True)
class BaselineSettings(Checked):
    """What `hedline baseline` is asked: to learn (`fit` is given), or to write headlines."""

    fit: Path | None = setting(None, "Learn from these training pairs and write --out.")
    folder: Path | None = setting(None, "The fitted system's folder.")
    bytes: int | None = setting(None, "At most N UTF-8 bytes (prefix: 75).", least=1)
    chars: int | None = setting(None, "At most N characters (prefix alone).", least=1)
    words: int | None = again(DecodeOptions, "words")
    limit: int | None = setting(None, "Only the first N inputs, or training pairs.", least=1)
    tune: tuple[Path, ...] = setting((), "With --fit: tune the weights for ROUGE on this set; repeatable.")
    sample: int | None = setting(None, "With --fit wl: parse N pairs (20,000).", least=1)
    parser: str | None = setting(None, "For systems that need parses: a model, or a .conllu file of `hedline parse`.")
    out: Path | None = setting(None, "Write the headlines to this file; with --fit: the folder.")
    score: bool = setting(False, "Print ROUGE against the set's references instead.", names=("--score",))
    preset: str = again(Measured, "preset", "How to score: gigaword (F1, full length) or duc.")

    @property
    def fit_options(self) -> dict[str, Any]:
        """What was given of the options that systems know when they are fitted."""
        given = {name: getattr(self, name) for name in ("limit", "tune", "sample", "parser")}
        return {name: value for name, value in given.items() if value}


class Baseline(Protocol):
    """A system that writes headlines."""

    name: ClassVar[str]
    fit_options: ClassVar[frozenset[str]]  # the names that `fit` knows of its options

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Learn from training pairs (see `fitting.training_pairs`) and write the folder `out`, which is returned."""

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load a fitted folder; a system that learns nothing also opens without one."""

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Write one headline per item, in order, each within the limit; references are never looked at."""


class Unfitted:
    """A system that learns nothing and has no folder."""

    name: ClassVar[str]
    fit_options: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Refuse: there is nothing to fit."""
        raise UserError(f"{cls.name} learns nothing, so it cannot be fitted; run `hedline baseline {cls.name} SET`")

    @classmethod
    def open(cls, folder: Path | None = None) -> Self:
        """Make one."""
        return cls()


def find_system(name: str) -> type[Baseline]:
    """Import the system of a name as users write it: `W&L` is `wl`, `MOSES+` is `moses`."""
    plain = name.lower().replace("&", "").replace("+", "")
    if plain not in SYSTEMS:
        raise UserError(f"no baseline is called {name!r}; there are {', '.join(SYSTEMS)}")
    module, _, attribute = SYSTEMS[plain].partition(":")
    try:
        found: type[Baseline] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UserError(f"the baseline {name!r} is not part of this installation") from None
    return found


def is_baseline(folder: Path) -> bool:
    """Tell whether a path is the folder of a fitted baseline (rather than of a model)."""
    config = folder / "config.json"
    return is_file(config) and isinstance(found := read_json(config), dict) and "baseline" in found


def read_config(folder: Path, name: str | None = None) -> dict[str, Any]:
    """Read and check the config of a fitted baseline; name: which system it must be of."""
    if not is_file(folder / "config.json"):
        raise UserError(
            f"{folder} is no fitted baseline (it has no config.json); make one with `hedline baseline --fit`"
        )
    config = read_json(folder / "config.json")
    if not isinstance(config, dict) or "baseline" not in config:
        raise UserError(f"{folder} is not the folder of a baseline; its config.json names none")
    if config.get("format") != FORMAT:
        raise UserError(
            f"{folder} has baseline format {config.get('format')}, this hedline reads {FORMAT}; fit it again"
        )
    if name is not None and config["baseline"] != name:
        raise UserError(f"{folder} holds the baseline {config['baseline']!r}, not {name!r}")
    return config


def write_config(folder: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Write the config; call it last, since it marks the folder as finished."""
    write_json(folder / "config.json", {"format": FORMAT, "baseline": name, **settings})


def open_baseline(folder: Path) -> Baseline:
    """Open a fitted folder of whichever system it is."""
    return find_system(str(read_config(folder)["baseline"])).open(folder)


def fitted_folder(folder: Path | None, name: str) -> Path:
    """Return the folder of a fitted system, checked to be that system's, or say how to make one."""
    if folder is None:
        raise UserError(
            f"the baseline {name} must be fitted first: `hedline baseline {name} --fit PAIRS --out FOLDER`, "
            "then --folder FOLDER"
        )
    read_config(folder, name)
    return folder


def prefix(lead: str, *, bytes: int | None = None, chars: int | None = None, words: int | None = None) -> str:
    """The first bytes (UTF-8, never half a character), characters or white-space words of `lead`, as many as asked for.

    At least one limit is given, and all that are hold. Bytes and characters may end in half a word: the paper's
    PREFIX does, and ROUGE scores it so.
    """
    limits = [limit for limit in (bytes, chars, words) if limit is not None]
    if not limits or min(limits) < 1:
        raise UserError("PREFIX takes limits of at least 1: bytes, chars or words")
    text = " ".join(lead.split()[:words])[:chars]
    return text.encode("utf-8", "replace")[:bytes].decode("utf-8", "ignore").rstrip()


def run_prefix(
    leads: Sequence[str], *, bytes: int | None = None, chars: int | None = None, words: int | None = None
) -> list[str]:
    """PREFIX headlines, 75 bytes when no limit is given."""
    if bytes is None and chars is None and words is None:
        bytes = PREFIX_BYTES
    return [prefix(lead, bytes=bytes, chars=chars, words=words) for lead in leads]


class Prefix(Unfitted):
    """PREFIX: the beginning of the input is its headline (DUC's own baseline, Table 1); it learns nothing."""

    name: ClassVar[str] = "prefix"

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Cut every lead; 75 bytes when there is no limit. Bytes may end in half a word, as in the paper."""
        return run_prefix([item.lead for item in items], bytes=limit.bytes, words=limit.words)
