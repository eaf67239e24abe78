"""Is this installation healthy? Each check looks at one thing and says in a sentence what it found.

A check that fails makes the whole unhealthy; a note (kernels not compiled, an extra not installed) does not.
"""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import hedline
from hedline.api import find_model, load, read_defaults, shipped_models
from hedline.errors import UserError

KNOWN_SENTENCE = (
    "The city council of Harwick voted on Tuesday to close the old harbour bridge for 16 months of repairs, "
    "the mayor said."
)
KNOWN_LIMIT = 75  # bytes
SENTENCES = (
    KNOWN_SENTENCE,
    "Police in the northern port of Larvik said 1,200 people were led off a ferry after a storm hit the harbour.",
    "The central bank raised its key interest rate by a quarter of a point on Thursday to slow rising prices.",
    "Scientists have found water ice in the shadow of a crater near the south pole of the moon, they reported.",
    "The visitors scored twice in the last ten minutes to beat the champions 3-2 and reach the final.",
    "A fire destroyed a furniture factory in the east of the country on Sunday, killing at least four workers.",
    "The two governments signed an agreement on fishing rights on Friday after eleven years of talks.",
    "The carmaker said it would cut 2,000 jobs at three plants as demand for its larger models fell.",
)
SPEED_PASSES = 3  # the fastest is told: the others shared the machine


@dataclass(frozen=True)
class Check:
    """What one check found. facts: the same for machines (plain JSON)."""

    name: str
    ok: bool
    message: str
    facts: dict[str, Any] = field(default_factory=dict)


def diagnose(model: str | Path | None = None) -> list[Check]:
    """All checks, for the shipped models and, where given, one more (its name or path)."""
    paths = {path.name: path for path in shipped_models()}
    checks = [_guarded("installation", check_installation)]
    if not paths:
        checks.append(Check("models", False, "no model comes with this installation; install hedline again"))
    if model is not None:
        try:
            paths.setdefault(str(model), find_model(model))
        except UserError as error:
            checks.append(Check(f"model {model}", False, str(error)))
    checks += [_guarded(f"model {name}", lambda path=path: check_model(path)) for name, path in paths.items()]  # type: ignore[misc]
    checks.append(_guarded("headline", lambda: check_headline(model)))
    checks.append(_guarded("speed", lambda: check_speed(model)))
    return checks


def healthy(checks: list[Check]) -> bool:
    """Whether every check passed."""
    return all(check.ok for check in checks)


def to_json(checks: list[Check]) -> dict[str, Any]:
    """The report for machines."""
    return {"healthy": healthy(checks), "version": hedline.__version__, "checks": [asdict(check) for check in checks]}


def to_text(checks: list[Check]) -> str:
    """The report for people: a line for each check, then the verdict."""
    lines = [f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.message}" for check in checks]
    failed = sum(not check.ok for check in checks)
    lines.append("hedline is healthy" if not failed else f"hedline is not healthy: {failed} of {len(checks)} failed")
    return "\n".join(lines)


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    """The check's own result; an error inside it is a failed check, since a doctor must not fall ill."""
    try:
        return check()
    except Exception as error:
        kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
        return Check(name, False, f"{kind}{error}".replace("\n", " "))


def check_installation() -> Check:
    """Versions, required packages, compiled kernels, optional extras."""
    from hedline.runtime import kernels

    system = os.uname()  # platform.platform() would start a process to ask
    extras = installed_extras()
    required = extras.pop("", {})
    missing = sorted(name for name, version in required.items() if version is None)
    registered = _version("hedline")
    problems = [f"{name} is not installed" for name in missing]
    if registered not in {None, hedline.__version__}:
        problems.append(f"the package index says {registered}, the code {hedline.__version__}: install hedline again")
    complete = [name for name, packages in extras.items() if None not in packages.values()]
    lacking = [name for name in extras if name not in complete]
    compiled = kernels.available()
    message = "; ".join(
        [
            *problems,
            f"hedline {hedline.__version__}, Python {platform.python_version()} on {system.sysname} {system.machine}",
            f"kernels {'compiled' if compiled else 'not compiled (same headlines, slower)'}",
            f"extras {', '.join(complete) or 'none'}" + (f" (not here: {', '.join(lacking)})" if lacking else ""),
        ]
    )
    facts = {
        "python": platform.python_version(),
        "platform": f"{system.sysname} {system.release} {system.machine}",
        "compiled_kernels": compiled,
        "required": required,
        "extras": extras,
    }
    return Check("installation", not problems, message, facts)


def installed_extras() -> dict[str, dict[str, str | None]]:
    """Packages and their versions (None: not installed) by extra, as hedline's own metadata lists them; "" is required.

    Nothing is imported, so that a heavy package costs nothing.
    """
    try:
        lines = metadata.requires("hedline") or []
    except metadata.PackageNotFoundError:  # run from a source tree on PYTHONPATH
        lines = []
    extras: dict[str, dict[str, str | None]] = {"": {}}
    for line in lines:
        name = re.match(r"[A-Za-z0-9._-]+", line)
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", line)
        if name and name[0] != "hedline":
            extras.setdefault(extra[1] if extra else "", {})[name[0]] = _version(name[0])
    return extras


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def check_model(path: Path) -> Check:
    """Every file of a model folder against config.json, every weight finite, all parts loadable."""
    from hedline.runtime.folder import WEIGHTS, ModelFolder

    folder = ModelFolder.open(path)
    folder.verify()
    read_defaults(path)
    load(path)
    size = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    checksum = folder.config.checksums.get(WEIGHTS)
    tuned = (path / "tuning.json").is_file()
    message = (
        f"{folder.config.family}, {folder.config.units}, {folder.vocab_in:,} input and {folder.vocab_out:,} output "
        f"units, {size / 1e6:.1f} MB, {'tuned' if tuned else 'not tuned'}, "
        + (f"checksums right (weights {checksum[:12]})" if checksum else "no checksum of the weights stored")
    )
    facts = {"path": str(path), "bytes": size, "checksums": folder.config.checksums, "tuned": tuned}
    return Check(f"model {path.name}", True, message, facts)


def check_headline(model: str | Path | None = None) -> Check:
    """A known sentence gives a headline inside its limit, and the same one when the model is loaded again."""
    started = time.perf_counter()
    first = load(model)(KNOWN_SENTENCE, bytes=KNOWN_LIMIT)
    seconds = time.perf_counter() - started
    second = load(model)(KNOWN_SENTENCE, bytes=KNOWN_LIMIT)
    length = len(first.encode())
    facts = {"sentence": KNOWN_SENTENCE, "headline": first, "bytes": length, "seconds": round(seconds, 3)}
    if not first:
        return Check("headline", False, "the known sentence gave an empty headline", facts)
    if length > KNOWN_LIMIT:
        return Check("headline", False, f"{first!r} has {length} bytes, the limit was {KNOWN_LIMIT}", facts)
    if first != second:
        return Check("headline", False, f"two runs differ: {first!r} and {second!r}", facts)
    return Check("headline", True, f"{first!r} ({length} of {KNOWN_LIMIT} bytes, {seconds:.2f} s with loading)", facts)


def check_speed(model: str | Path | None = None) -> Check:
    """Headlines a second on the built-in sentences: one at a time, and all at once."""
    summarizer = load(model)
    alone = _rate(lambda: [summarizer(sentence) for sentence in SENTENCES])
    together = _rate(lambda: summarizer.summarize(SENTENCES))
    facts = {"sentences": len(SENTENCES), "per_second_alone": alone, "per_second_batched": together}
    message = f"{alone:.0f} headlines a second one at a time, {together:.0f} in batches of {len(SENTENCES)}"
    return Check("speed", True, message, facts)


def _rate(work: Callable[[], object]) -> float:
    """Sentences a second of the fastest pass; the first, which fills caches, is not counted."""
    work()
    times = []
    for _ in range(SPEED_PASSES):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return round(len(SENTENCES) / min(times), 1)
