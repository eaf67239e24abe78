"""Write requirements-dev.lock: every package of the development environment, its version and the hashes of its files.

docs/licences.md follows from it: what each of these packages, installed here, says about its licence.

    python -m pip install uv && python scripts/lock.py            # the versions that are installed here
    python -m pip install uv && python scripts/lock.py --upgrade  # the newest that pyproject.toml allows

torch and the GPU packages it brings are left out: its wheel depends on the machine (CPU, CUDA, local builds), so no one
set of hashes fits. pyproject.toml pins its version, and `scripts/setup-dev` installs it by that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LEFT_OUT = re.compile(r"^(torch|triton|nvidia-|cuda-)")
HEAD = """\
# The development environment (extra `dev`): every package at the version the tests ran with and its files' hashes.
# Written by scripts/lock.py; scripts/setup-dev installs it by `pip install --require-hashes --no-deps -r`. torch and
# what it needs on a GPU are left out: their wheels depend on the machine, and pyproject.toml pins torch's version.
"""


def installed() -> str:
    """Versions of this environment, one `name==version` a line."""
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze", "--all", "--exclude-editable"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines = [line for line in frozen.splitlines() if re.match(r"^[\w.-]+==[\w.]+$", line)]
    return "\n".join(line for line in lines if not LEFT_OUT.match(line) and not line.startswith("pip==")) + "\n"


def resolve(constraints: Path) -> str:
    """The resolved packages with hashes, as a requirements file."""
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", "dev", "--constraint", str(constraints)]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, check=True, cwd=CHECKOUT, capture_output=True, text=True).stdout


def without_machine(lock: str) -> str:
    """The file without the packages whose wheels depend on the machine, and without comments and addresses."""
    blocks = re.split(r"(?m)^(?=[A-Za-z])", re.sub(r"(?m)^\s*#.*\n|^--.*\n", "", lock))
    return "".join(block for block in blocks if block.strip() and not LEFT_OUT.match(block))


def licence(name: str) -> str:
    """What an installed package states about its licence, in a few words."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return "not installed here"
    classes = [line.rsplit(" :: ", 1)[-1] for line in said.get_all("Classifier") or [] if line.startswith("License")]
    stated = said.get("License-Expression") or ", ".join(classes) or said.get("License") or "not stated"
    return str(stated).strip().splitlines()[0][:80]


def licence_table(lock: str) -> str:
    """The rows of docs/licences.md."""
    packages = re.findall(r"(?m)^([A-Za-z][\w.-]*)==([\w.]+)", lock)
    return "".join(f"| {name} | {version} | {licence(name)} |\n" for name, version in packages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="newest versions instead of the installed ones")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder) / "installed.txt"
        constraints.write_text("" if wanted.upgrade else installed(), encoding="utf-8")
        lock = HEAD + without_machine(resolve(constraints))
    (CHECKOUT / "requirements-dev.lock").write_text(lock, encoding="utf-8")
    page = CHECKOUT / "docs" / "licences.md"
    head = page.read_text(encoding="utf-8").split("|---|---|---|\n")[0]
    page.write_text(f"{head}|---|---|---|\n{licence_table(lock)}", encoding="utf-8")
    print(f"requirements-dev.lock: {len(re.findall('(?m)^[A-Za-z]', lock))} packages")


if __name__ == "__main__":
    main()
