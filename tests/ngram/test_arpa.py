"""ARPA files, checked with kenlm reading ours and with irstlm's estimates on the same text."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hedline.errors import UserError
from hedline.ngram.arpa import read_arpa, spell, write_arpa
from hedline.ngram.estimate import Level, adjust_counts, count_ngrams, estimate, estimate_discount, interpolate
from hedline.ngram.model import Discount, NgramModel, lay_out

IRSTLM = Path("/usr/lib/irstlm/bin/tlm")


def made_up_text(sentences: int, unknown: float, seed: int = 7) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Text with a Zipf tail and some word-to-word structure: flat ids, offsets, words."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 14, sentences)
    flat = np.minimum(random.zipf(1.35, lengths.sum()) + 3, 4000)
    flat[1:] = np.where(random.random(len(flat) - 1) < 0.4, (flat[:-1] * 31) % 997 + 4, flat[1:])
    flat[random.random(len(flat)) < unknown] = 1
    used = np.unique(np.append(flat, range(4)))
    words = ["<pad>", "<unk>", "<s>", "</s>"] + [f"w{number}" for number in used[4:]]
    return np.searchsorted(used, flat), np.concatenate([[0], np.cumsum(lengths)]), words


@pytest.fixture(scope="module")
def model() -> NgramModel:
    return estimate(*made_up_text(3000, unknown=0.02), order=5)


def test_round_trip(model: NgramModel, tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    write_arpa(model, path)
    compressed = tmp_path / "model.arpa.gz"
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    again = read_arpa(compressed)
    assert again.words == model.words
    for n in range(model.order):
        assert (again.keys[n] == model.keys[n]).all()
        np.testing.assert_allclose(again.logs[n], model.logs[n], atol=1e-5)
        np.testing.assert_allclose(again.backoffs[n], model.backoffs[n], atol=1e-5)


@pytest.mark.parametrize("order", [2, 3, 5])  # kenlm reads no unigram models
def test_kenlm_gives_the_same_scores(order: int, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm")
    flat, offsets, words = made_up_text(1500, unknown=0.02)
    model = estimate(flat, offsets, words, order)
    write_arpa(model, tmp_path / "model.arpa")
    oracle = kenlm.Model(str(tmp_path / "model.arpa"))
    held_out, bounds, names = made_up_text(200, unknown=0.05, seed=8)
    for begin, end in pairwise(bounds):
        sentence = [names[number] for number in held_out[begin:end]]
        expected = [log for log, _, _ in oracle.full_scores(" ".join(sentence))]
        np.testing.assert_allclose(model.score(sentence), expected, atol=1e-5)


def by_words(model: NgramModel, n: int, values: list[np.ndarray]) -> dict[str, float]:
    rows = np.arange(len(model.keys[n - 1]))
    return dict(zip(spell(model, n, rows), values[n - 1].tolist(), strict=True))


@pytest.fixture(scope="module")
def irstlm(tmp_path_factory: pytest.TempPathFactory) -> tuple[NgramModel, list[Discount]]:
    """What irstlm makes of the made-up text: its model, and the discounts it prints."""
    if not IRSTLM.exists():
        pytest.skip("irstlm (a Debian package) is not installed")
    folder = tmp_path_factory.mktemp("irstlm")
    flat, offsets, words = made_up_text(6000, unknown=0.0)
    lines = [" ".join(words[i] for i in flat[a:b]) for a, b in pairwise(offsets)]
    (folder / "text").write_text("".join(f"<s> {line} </s>\n" for line in lines))
    command = [IRSTLM, "-tr=text", "-n=3", "-lm=msb", "-ps=no", "-pts=no", "-oarpa=model.arpa"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    printed = re.findall(r"^([\d.]+) ([\d.]+) ([\d.]+)$", done.stderr, flags=re.MULTILINE)
    return read_arpa(folder / "model.arpa"), [Discount(*map(float, amounts)) for amounts in printed]


def adjusted_levels() -> tuple[list[Level], list[str]]:
    flat, offsets, words = made_up_text(6000, unknown=0.0)
    levels = count_ngrams(lay_out(flat, offsets), 3, len(words))
    adjust_counts(levels)
    return levels, words


def test_irstlm_has_the_same_discounts(irstlm: tuple[NgramModel, list[Discount]]) -> None:
    """Equal for unigrams; its stray n-grams `<s> <s>` and `<s> <s> w` move the others a little."""
    ours = [estimate_discount(level.counts).table() for level in adjusted_levels()[0]]
    theirs = [discount.table() for discount in irstlm[1]]
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5)
    np.testing.assert_allclose(ours, theirs, atol=5e-3)


def test_irstlm_has_the_same_probabilities(irstlm: tuple[NgramModel, list[Discount]]) -> None:
    """On irstlm's unigrams and discounts every n-gram agrees.

    Its unigrams differ by design: it does not discount them, and gives `<unk>` as many counts as there are words.
    """
    theirs, discounts = irstlm
    levels, words = adjusted_levels()
    single = by_words(theirs, 1, theirs.logs)
    lowest = np.array([10 ** single[word] if word != "<pad>" else 0.0 for word in words])
    total = levels[0].counts.sum() + len(words) - 1  # all words but <pad>, once more, for <unk>
    np.testing.assert_allclose(lowest[3:], levels[0].counts[3:] / total, rtol=1e-3)
    ours = interpolate(levels, discounts, lowest, words)
    for n in (2, 3):
        expected, found = by_words(theirs, n, theirs.logs), by_words(ours, n, ours.logs)
        assert all(gram.startswith("<s> <s>") for gram in set(expected) ^ set(found))
        difference = {gram: abs(log - expected[gram]) for gram, log in found.items() if gram in expected}
        initial = max(value for gram, value in difference.items() if gram.startswith("<s>"))
        others = max(value for gram, value in difference.items() if not gram.startswith("<s>"))
        assert others < 2e-5
        assert initial < 1e-3  # `<s> <s>` counts once among what follows `<s>`


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("\\data\\", "data", "expected \\data\\"),
        ("ngram 2=5", "ngram 2=x", "cannot read the count"),
        ("ngram 2=5", "ngram 2=6", "cannot read this line"),
        ("ngram 2=5", "ngram 2=4", "expected \\end\\"),
        ("a b", "a z", "'z' is not among the 1-grams"),
        ("\\2-grams:", "\\3-grams:", "expected \\2-grams:"),
        ("a c", "a b", "stands twice"),
        ("\\end\\", "", "expected \\end\\"),
    ],
)
def test_damaged_files_are_one_sentence(old: str, new: str, says: str, tmp_path: Path) -> None:
    words = ["<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"]
    path = tmp_path / "model.arpa"
    write_arpa(estimate(np.array([4, 5, 4, 6]), np.array([0, 2, 4]), words, 2), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(UserError) as caught:
        read_arpa(path)
    assert says in str(caught.value) and str(path) in str(caught.value)


def test_context_must_be_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(
        "\\data\\\nngram 1=2\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-1\ta\n-1\tb\n\n"
        "\\2-grams:\n-1\ta b\n\n\\3-grams:\n-1\tb b a\n\n\\end\\\n"
    )
    with pytest.raises(UserError, match="first words of 'b b a'"):
        read_arpa(path)


def test_nothing_is_left_of_a_write_that_fails(model: NgramModel, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)
    tmp_path.write_text("a file where a folder should be")
    with pytest.raises((UserError, OSError)):
        write_arpa(model, tmp_path / "model.arpa")
