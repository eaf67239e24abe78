"""Imports point one way, as docs/architecture.md says, and `import hedline` is quick and light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hedline"
HEAVY = {
    "torch",
    "tokenizers",
    "pyarrow",
    "zstandard",
    "ray",
    "ctranslate2",
    "matplotlib",
    "scipy",
    "nltk",
    "kenlm",
    "spacy",
}


def ladder() -> list[str]:
    """The packages from left to right, read from the architecture page."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    line = re.search(r"`arrays, compiled, errors, files, progress, plot`.*?`cli`", text, re.S)
    assert line, "docs/architecture.md no longer lists the packages in order"
    names = [name for group in re.findall(r"`([^`]*)`", line[0]) for name in group.split(", ")]
    assert names[0] == "arrays" and names[-1] == "cli"
    return names


def package_of(module: str) -> str:
    """`text` for `hedline.text.vocab`."""
    return module.split(".")[1] if "." in module else ""


def imports(path: Path) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether at module level) of every import in a file; those for type checkers alone left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    top = {id(node) for node in _module_level(tree)}
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, id(node) in top
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno, id(node) in top


def _module_level(tree: ast.AST) -> Iterator[ast.AST]:
    """Statements that run when the module is imported: all but those inside functions."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _module_level(node)


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def own_package(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[0]


def test_every_package_has_its_place() -> None:
    here = {own_package(path) for path in modules()} - {"__init__", "__main__"}
    assert here <= set(ladder())


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    order = ladder()
    own = own_package(path)
    if own in {"__init__", "__main__"}:
        return
    for module, line, _ in imports(path):
        if module == "hedline" or not module.startswith("hedline."):
            continue
        target = package_of(module)
        assert target == own or order.index(target) < order.index(own) or {target, own} <= set(order[:3]), (
            f"{path.name}:{line} imports {module}: {own} stands left of {target}"
        )


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    allowed = {"torch"} if own_package(path) in {"models", "training"} else set()
    for module, line, at_top in imports(path):
        name = module.split(".")[0]
        assert not (at_top and name in HEAVY - allowed), f"{path.name}:{line} imports {name} at module level"


def loaded_by(code: str) -> set[str]:
    """Top-level modules loaded after running code in a fresh interpreter."""
    script = f"{code}\nimport sys; print(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_hedline_brings_nothing_heavy() -> None:
    assert not loaded_by("import hedline") & (HEAVY | {"numpy", "typer", "rich", "safetensors"})


def test_the_command_line_starts_without_torch_or_numpy() -> None:
    assert not loaded_by("import hedline.cli.main") & (HEAVY | {"numpy"})


def test_import_hedline_is_quick() -> None:
    """Under 0.2 s; CPU time of the import alone, the best of three, since the machine may be busy."""
    script = "import time; t = time.process_time(); import hedline; print(time.process_time() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(runs) < 0.2


def test_unknown_names_are_attribute_errors() -> None:
    import hedline

    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = hedline.magic
