"""Z-MERT's file formats, so that others can check our tuner with theirs and we theirs with ours.

Z-MERT (Zaidan 2009) is what the original system was tuned with. Its files: `params.txt` (lines `name ||| value Opt|Fix
min max random-min random-max`, then `normalization = …`), the decoder's configuration (`name value` lines), n-best
lists (`i ||| text ||| features ||| score`, i from 0), references (`ref.0`, `ref.1`, … one input per line) and its own
configuration (`-option value # comment` lines). `export_zmert` writes a finished run as such a folder; such a folder
can be read as a problem for our optimiser.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from hedline.arrays import Doubles
from hedline.errors import UserError
from hedline.files import open_binary, write_text
from hedline.tuning.linesearch import Bounds, Problem
from hedline.tuning.nbest import Hypothesis, Judge, Pool
from hedline.tuning.rounds import Tuning, make_problem
from hedline.tuning.tune import Settings

RANDOM_RANGE = (-1.0, 1.0)  # what the original's params.txt gives every weight


@dataclass(frozen=True)
class Parameter:
    """One line of params.txt: a weight, whether it is tuned, its bounds, and the range of random starts."""

    name: str
    value: float
    tuned: bool = True
    low: float = -math.inf
    high: float = math.inf
    random: tuple[float, float] = RANDOM_RANGE

    def bounds(self) -> tuple[float, float]:
        """The range of the weight; one point when it is fixed."""
        return (self.low, self.high) if self.tuned else (self.value, self.value)


@dataclass(frozen=True)
class Candidate:
    """One line of an n-best file: input from 0, text, feature values (k,), and the score where there is one."""

    index: int
    text: str
    features: Doubles
    score: float | None = None


def write_params(path: Path, parameters: Sequence[Parameter], normalization: str = "none") -> None:
    """Write params.txt. normalization: `none`, `absval 1 NAME`, `maxabsval 1`, `minabsval 1` or `LNorm 2 1`."""
    lines = [
        f"{p.name} ||| {p.value!r} {'Opt' if p.tuned else 'Fix'} {_infinite(p.low)} {_infinite(p.high)} "
        f"{p.random[0]:g} {p.random[1]:g}"
        for p in parameters
    ]
    write_text(path, "\n".join([*lines, f"normalization = {normalization}"]) + "\n")


def read_params(path: Path) -> tuple[list[Parameter], str]:
    """The parameters and the normalisation of a params.txt."""
    parameters, normalization = [], "none"
    for number, line in _lines(path):
        name, bars, rest = line.partition("|||")
        if not bars and line.replace(" ", "").startswith("normalization="):
            normalization = line.partition("=")[2].strip()
            continue
        parts = rest.split()
        if len(parts) != 6 or parts[1] not in {"Opt", "Fix"}:
            raise UserError(f"{path}:{number}: expected `name ||| value Opt|Fix min max random-min random-max`")
        value, low, high, *random = (_number(path, number, part) for part in (parts[0], *parts[2:]))
        parameters.append(Parameter(name.strip(), value, parts[1] == "Opt", low, high, (random[0], random[1])))
    if not parameters:
        raise UserError(f"{path} names no parameters")
    return parameters, normalization


def write_decoder_config(path: Path, weights: Mapping[str, float]) -> None:
    """Write `name value` lines: the weights Z-MERT passes to a decoder, and its final result."""
    write_text(path, "".join(f"{name} {value!r}\n" for name, value in weights.items()))


def read_decoder_config(path: Path) -> dict[str, float]:
    """The weights of a decoder configuration (also `SDecoder_cfg.txt.ZMERT.final`); other lines are passed over."""
    weights = {}
    for number, line in _lines(path):
        name, _, value = line.rpartition(" ")
        if name and "=" not in line:
            weights[name.strip()] = _number(path, number, value)
    return weights


def write_nbest(path: Path, candidates: Iterable[Candidate]) -> None:
    """Write an n-best file; inputs must be in order and none may be skipped, as Z-MERT demands."""
    lines = []
    for candidate in candidates:
        features = " ".join(repr(float(value)) for value in candidate.features)
        score = "" if candidate.score is None else f" ||| {candidate.score!r}"
        lines.append(f"{candidate.index} ||| {_one_line(candidate.text)} ||| {features}{score}\n")
    write_text(path, "".join(lines))


def read_nbest(path: Path, features: int | None = None) -> list[Candidate]:
    """The lines of an n-best file (also .gz); `features` checks how many values each has."""
    candidates: list[Candidate] = []
    for number, line in _lines(path):
        fields = [field.strip() for field in line.split("|||")]
        if len(fields) < 3 or not fields[0].isdecimal():
            raise UserError(f"{path}:{number}: expected `index ||| text ||| feature values`")
        values = np.array([_number(path, number, value) for value in fields[2].split()])
        expected = features if features is not None else len(candidates[0].features) if candidates else None
        if expected is not None and len(values) != expected:
            raise UserError(f"{path}:{number}: {len(values)} feature values where {expected} were expected")
        score = _number(path, number, fields[3]) if len(fields) > 3 and fields[3] else None
        candidates.append(Candidate(int(fields[0]), fields[1], values, score))
    return candidates


def write_references(prefix: Path, references: Sequence[Sequence[str]]) -> int:
    """Write `prefix.0`, `prefix.1`, …; an input with fewer references repeats its last. Returns how many files."""
    most = max(map(len, references))
    for number in range(most):
        lines = (_one_line(texts[min(number, len(texts) - 1)]) for texts in references)
        write_text(prefix.with_name(f"{prefix.name}.{number}"), "".join(f"{line}\n" for line in lines))
    return most


def read_references(prefix: Path) -> list[tuple[str, ...]]:
    """The references of each input from `prefix.0` … or `prefix0` … (or from 1), as Z-MERT finds them."""
    for joint in (".", ""):
        names = [prefix.with_name(f"{prefix.name}{joint}{number}") for number in range(100)]
        found = [name for name in names if name.exists()]
        if found:
            break
    else:
        raise UserError(f"no reference files {prefix}.0, {prefix}.1, … were found")
    columns = [[line for _, line in _lines(path, keep_empty=True)] for path in found]
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"the reference files {found[0]} … {found[-1]} have different numbers of lines")
    return list(zip(*columns, strict=True))


def write_config(path: Path, options: Mapping[str, str | int]) -> None:
    """Write Z-MERT's own configuration, `-option value` lines."""
    write_text(path, "".join(f"-{name}\t{value}\n" for name, value in options.items()))


def read_config(path: Path) -> dict[str, str]:
    """Z-MERT's own configuration: option to value, comments dropped."""
    options = {}
    for number, line in _lines(path):
        text = line.split("#")[0].strip()
        if not text:
            continue
        name, _, value = text.replace("\t", " ").partition(" ")
        if not name.startswith("-"):
            raise UserError(f"{path}:{number}: expected `-option value`")
        options[name[1:]] = value.strip()
    return options


def _lines(path: Path, keep_empty: bool = False) -> Iterable[tuple[int, str]]:
    try:
        with open_binary(path) as file:
            for number, raw in enumerate(file, 1):
                line = raw.decode("utf-8").strip()
                if line or keep_empty:
                    yield number, line
    except (UnicodeDecodeError, OSError, EOFError) as error:
        raise UserError(f"cannot read {path}: {error}") from None


def _number(path: Path, line: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{path}:{line}: {text!r} is not a number") from None


def _infinite(value: float) -> str:
    """A bound as Z-MERT spells it."""
    return f"{value!r}" if math.isfinite(value) else "+Inf" if value > 0 else "-Inf"


def _one_line(text: str) -> str:
    return " ".join(text.replace("|||", "| | |").split())


def export_zmert(folder: Path, tuning: Tuning, settings: Settings, path: Path) -> None:
    """Write params.txt, decoder.txt, nbest.out, ref.0 …, and ZMERT_cfg.txt for all lists of a run."""
    bounds = settings.ranges()
    weights = tuning.weights
    write_params(folder / "params.txt", _parameters(bounds, weights))
    write_decoder_config(folder / "decoder.txt", weights)
    write_nbest(folder / "nbest.out", _candidates(tuning.pool, np.array(list(weights.values()))))
    items, _ = settings.read(path)
    count = write_references(folder / "ref", [item.references for item in items])
    write_config(
        folder / "ZMERT_cfg.txt",
        {
            "r": "ref", "rps": count, "p": "params.txt", "m": "BLEU 4 closest", "ipi": settings.restarts,
            "decOut": "nbest.out", "dcfg": "decoder.txt", "N": settings.beam, "seed": settings.seed,
        },
    )  # fmt: skip


def read_zmert(folder: Path, judge: Judge) -> tuple[Problem, Doubles]:
    """The problem in a Z-MERT folder (params.txt, nbest.out, ref.*) for any objective, and its first weights (k,)."""
    parameters, _ = read_params(folder / "params.txt")
    names = tuple(parameter.name for parameter in parameters)
    references = read_references(folder / "ref")
    pool = Pool(len(references))
    candidates = read_nbest(folder / "nbest.out", len(names))
    for index, group in groupby(candidates, key=lambda candidate: candidate.index):
        if index >= len(references):
            raise UserError(f"{folder / 'nbest.out'} has input {index}, but there are {len(references)} references")
        members = list(group)
        statistics = judge.statistics([member.text for member in members], references[index])
        pool.add(index, [Hypothesis(m.text, m.features, row) for m, row in zip(members, statistics, strict=True)])
    ranges = np.array([parameter.bounds() for parameter in parameters])
    start = np.array([parameter.value for parameter in parameters])
    return make_problem(pool, judge.objective, Bounds(names, ranges[:, 0], ranges[:, 1])), start


def _parameters(bounds: Bounds, weights: dict[str, float]) -> list[Parameter]:
    return [
        Parameter(name, weights[name], low < high, low, high, (max(low, -1.0), min(high, 1.0)))
        for name, (low, high) in bounds.named().items()
    ]


def _candidates(pool: Pool, weights: Doubles) -> Iterator[Candidate]:
    for index, hypotheses in enumerate(pool.hypotheses()):
        for each in hypotheses:
            yield Candidate(index, each.text, each.features, float(each.features @ weights))
