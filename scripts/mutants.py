"""How many machine-made wrong changes do the tests notice? cosmic-ray over the modules that matter, in a copy.

    python scripts/mutants.py                          # all modules below, 60 random mutants each: hours
    python scripts/mutants.py metrics/bulk.py --most 0  # every mutant of one module

Each module's mutants are judged by its own tests alone. Mutants that change nothing one could see (an annotation, a
constant that only trades memory for speed) survive by right; the score is a guide, not a goal.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
MODULES = {  # below src/hedline -> its tests, below tests
    "metrics/bulk.py": "metrics/test_bulk.py metrics/test_rouge.py",
    "metrics/measures.py": "metrics/test_measures.py metrics/test_rouge.py",
    "metrics/resampling.py": "metrics/test_resampling.py",
    "corpora/filters.py": "corpora/test_filters.py",
    "ngram/estimate.py": "ngram/test_estimate.py",
    "decoding/search.py": "decoding/test_recombination.py decoding/test_search_words.py decoding/test_search_exact.py",
    "decoding/word_lexicon.py": "decoding/test_recombination.py decoding/test_search_words.py",
    "tuning/linesearch.py": "tuning/test_linesearch.py",
    "tuning/mert.py": "tuning/test_mert.py",
    "training/optimizer.py": "training/test_optimizer.py training/test_optimizer_muon.py training/test_loop.py",
}
SETTINGS = """[cosmic-ray]
module-path = "src/hedline/{module}"
timeout = {timeout}
excluded-modules = []
test-command = "{python} -m pytest -q -x -p no:cacheprovider {tests}"

[cosmic-ray.distributor]
name = "local"
"""


def judge(module: str, copy: Path, most: int, timeout: float) -> tuple[int, int]:
    """(noticed, tried) mutants of a module; most: a random sample of so many, 0 for all."""
    name = module.replace("/", "-")
    tests = " ".join(f"tests/{file}" for file in MODULES[module].split())
    settings = SETTINGS.format(module=module, timeout=timeout, python=sys.executable, tests=tests)
    (copy / f"{name}.toml").write_text(settings, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    tool = str(Path(sys.executable).with_name("cosmic-ray"))
    session = f"{name}.sqlite"
    subprocess.run([tool, "baseline", f"{name}.toml"], cwd=copy, env=environment, check=True)  # unchanged: must pass
    subprocess.run([tool, "init", f"{name}.toml", session], cwd=copy, env=environment, check=True)
    if most:
        _sample(copy / session, most)
    subprocess.run([tool, "exec", f"{name}.toml", session], cwd=copy, env=environment, check=True)
    with closing(sqlite3.connect(copy / session)) as database:
        outcomes = [row[0] for row in database.execute("select test_outcome from work_results")]
        _show_survivors(database)
    return sum("KILLED" in str(outcome).upper() for outcome in outcomes), len(outcomes)


def _sample(session: Path, most: int) -> None:
    """Leave a random sample of the mutants, the same each time."""
    with closing(sqlite3.connect(session)) as database:
        jobs = [row[0] for row in database.execute("select job_id from work_items order by job_id")]
        places = database.execute(
            "select job_id from mutation_specs order by module_path, start_pos_row, start_pos_col, operator_name,"
            " occurrence"
        )
        jobs = [row[0] for row in places] or jobs
        for job in random.Random(1).sample(jobs, max(0, len(jobs) - most)):
            for table in ("mutation_specs", "work_items"):
                database.execute(f"delete from {table} where job_id = ?", (job,))
        database.commit()


def _show_survivors(database: sqlite3.Connection) -> None:
    """Print where the tests noticed nothing."""
    rows = database.execute(
        "select s.module_path, s.start_pos_row, s.operator_name from mutation_specs s join work_results r"
        " on s.job_id = r.job_id where upper(r.test_outcome) like '%SURVIVED%' order by s.start_pos_row"
    )
    for path, line, operator in rows:
        print(f"  survived: {path}:{line} {operator.removeprefix('core/')}", flush=True)


def main() -> None:
    """Judge the named modules, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=list(MODULES), help="below src/hedline; all ten otherwise")
    parser.add_argument("--most", type=int, default=60, help="random mutants of each module; 0 for all")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one mutant's tests")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "*.pyc", ".mypy_cache", ".ruff_cache")
        shutil.copytree(CHECKOUT, copy, ignore=ignored)
        for module in given.modules:
            noticed, tried = judge(module, copy, given.most, given.timeout)
            print(f"{module}: {noticed} of {tried} noticed, {noticed / max(tried, 1):.0%}", flush=True)


if __name__ == "__main__":
    main()
