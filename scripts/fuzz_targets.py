"""What scripts/fuzz.py feeds: readers with good examples of what they read, and kernels with their arguments."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
SLOW = 20  # seconds for one input

# Readers: what they read, as good examples, and the function that reads a file.

DOCUMENT = """<DOC id="APW_ENG_20000101.0001" type="story">
<HEADLINE>
{0}
</HEADLINE>
<TEXT>
<P>
{1}
</P>
</TEXT>
</DOC>
"""
RSS = """<?xml version="1.0"?><rss><channel><item><title>A</title><description>B &amp; c</description>
<pubDate>Mon, 16 Nov 2026 03:44:59 GMT</pubDate></item></channel></rss>"""
ARPA = """\\data\\
ngram 1=4
ngram 2=1

\\1-grams:
-1.0\t<s>\t-0.3
-1.0\t</s>
-1.0\t<unk>
-0.5\ta\t-0.2

\\2-grams:
-0.1\t<s> a

\\end\\
"""
CONLLU = "# text = A b\n1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
EXAMPLES: dict[str, list[str | bytes]] = {
    "jsonl": ['{"lead": "A storm hit.", "headline": "Storm hits", "id": 3, "date": "2020-01-01"}\n\n{"lead": "a"}\n'],
    "csv": ['lead,headline\n"a, ""b""",c\n\n"d\ne",f\n'],
    "tsv": ["lead\theadline\na b\tc\nx\ty\tz\n"],
    "gigaword": [DOCUMENT.format("Storm hits", "A storm hit &AMP; left.")],
    "agiga": [DOCUMENT.format("(NP (NN storm))", "(S (NN a) (. .))")],
    "feed": [RSS, '{"articles": [{"title": "A", "description": "B", "publishedAt": "2020-01-01T00:00:00Z"}]}'],
    "set": ['{"id": "1", "lead": "a b", "references": ["a", "b"]}\n{"lead": "c", "headline": "d"}\n'],
    "arpa": [ARPA],
    "conllu": [CONLLU],
    "zmert": ["0 ||| a b ||| 1.0 2.0\n1 ||| c ||| -0.5 0\n"],
    "params": ["log_prob ||| 1.0 Fix 0 +Inf 0 3\nnormalization = none\n"],
    "gz": [gzip.compress(b"a b\nc d\n", mtime=0)],
    "xz": [lzma.compress(b"a b\nc d\n")],
    "tensors": [],
    "config": [],
    "tuning": [],
    "vocabulary": [],
    "merges": [],
    "casing": ["may\tMay\niphone\tiPhone\n"],
    "text": ["The 3rd ‘mayor’s’ U.S. plan—“won’t” cost $5.20 (or ١٢٣)…\n<p>&amp;"],
}
TARGETS = ("kernels", *EXAMPLES)


def _drain(items: Iterable[Any]) -> None:
    for _ in items:
        pass


def readers() -> dict[str, Callable[[Path], None]]:
    """By target, what reads the file at a path to its end."""
    from hedline.baselines.parses import read_conllu
    from hedline.corpora.feeds import pair_of, read_items
    from hedline.corpora.gigaword import AnnotatedGigaword, Gigaword
    from hedline.corpora.pairs import pairs_of, read_lines
    from hedline.corpora.sets import read_evaluation_set, read_outputs
    from hedline.corpora.tables import Delimited, JsonLines
    from hedline.ngram.arpa import read_arpa
    from hedline.text.casing import Truecaser, UsualForms
    from hedline.tuning.zmert import read_nbest, read_params

    def feed(path: Path) -> None:
        for kind in ("xml", "json"):
            named = path.with_suffix(f".{kind}")
            shutil.copy(path, named)
            _drain(pair_of(item) for item in read_items(named, Counter()))

    def casing(path: Path) -> None:
        Truecaser.load(path)
        forms = UsualForms(path)
        _drain(forms[word] for word in list(forms)[:50])

    return {
        "jsonl": lambda path: _drain(pairs_of(JsonLines(path))),
        "csv": lambda path: _drain(pairs_of(Delimited(path, ","))),
        "tsv": lambda path: _drain(pairs_of(Delimited(path, "\t"))),
        "gigaword": lambda path: _drain(pairs_of(Gigaword(path))),
        "agiga": lambda path: _drain(pairs_of(AnnotatedGigaword(path))),
        "feed": feed,
        "set": lambda path: (_drain(read_evaluation_set(path)), _drain(read_outputs(path)), None)[-1],
        "arpa": lambda path: _drain([read_arpa(path)]),
        "conllu": lambda path: _drain(read_conllu(path)),
        "zmert": lambda path: _drain(read_nbest(path)),
        "params": lambda path: _drain(read_params(path)),
        "gz": lambda path: _drain(read_lines(path)),
        "xz": lambda path: _drain(read_lines(path)),
        "casing": casing,
        "text": read_text,
        **{name: _in_model(file, family) for name, (file, family) in MODEL_FILES.items()},
    }


def read_text(path: Path) -> None:
    """Any text through everything that looks at text before the model does."""
    from hedline.text.clean import clean, split_sentences, strip_markup
    from hedline.text.polarity_cues import polarity_cues
    from hedline.text.tokenize import tokenize

    text = path.read_bytes().decode("utf-8", "surrogateescape")
    tokens = tokenize(text)
    assert all(text[token.start : token.end] for token in tokens)
    split_sentences(strip_markup(clean(text)))
    polarity_cues(text)


# Files of a model folder, each put into a small model that is then asked for a headline.

MODEL_FILES = {
    "tensors": ("model.safetensors", "words"),
    "config": ("config.json", "words"),
    "tuning": ("tuning.json", "words"),
    "vocabulary": ("vocab.output.txt", "words"),
    "merges": ("merges.txt", "subwords"),
}
NAMES = {"feed": "file", "gz": "file.gz", "xz": "file.xz", "zmert": "file.nbest"}


@cache
def small_model(kind: str) -> Path:
    """A small random model folder, made once; checksums are left out so that changed files are read."""
    sys.path.insert(0, str(CHECKOUT / "tests" / "decoding"))
    import small_models

    folder = Path(tempfile.mkdtemp(prefix="hedline-fuzz-"))
    (small_models.words_folder if kind == "words" else small_models.subwords_folder)(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if "check" not in k}))
    (folder / "tuning.json").write_text(
        '{"format": 2, "weights": {"log_prob": 1.0}, "decoding": {"length_penalty": 0.5, "beam": 3}}'
    )
    return folder


def _in_model(file: str, kind: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        import hedline

        folder, source = path.parent / "model", small_model(kind)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        shutil.copy(path, folder / file)
        found = hedline.load(folder).summarize(["The storm closes the bridge in May."], words=3, beam=2)[0]
        assert len(found.text.split()) <= 3 and found.text.isprintable()

    return read


def examples(target: str) -> list[bytes]:
    """Good inputs of a target."""
    if target == "kernels":
        return [bytes(random.Random(seed).randrange(200) for _ in range(80)) for seed in range(40)]
    if target in MODEL_FILES:
        file, kind = MODEL_FILES[target]
        return [(small_model(kind) / file).read_bytes()]
    return [each.encode() if isinstance(each, str) else each for each in EXAMPLES[target]]


# Kernels: their arguments in a small language. A name is a whole number; f(…) an array of that many float32, b int8,
# u uint8, i int32, q int64, in brackets the size by the numbers' names; `<name` bounds its values; `?`: may be None;
# p is a truth value, x a float, @ an object made by another kernel, + a tuple of one or two. int64 too: s starts, l
# lengths of inputs laid end to end, a where their padded keys begin, o offsets; h int32: pieces of hypotheses. After
# `|`: how numbers usually follow from others.

KERNELS = {
    "pack": "b(m*k) b(up(m,16)*up(k,2)) m k",
    "linear": "f(n*k) b(up(m,16)*up(k,2)) f(m) ?f(m) ?f(n*m) f(n*m) n m k p",
    "chosen": "f(n*k) b(rows*k) f(rows) ?f(rows) ?i(count)<rows f(n*stride) n k rows count stride",
    "mix": "f(rows*stride) f(rows*wide) f(terms*count) rows stride wide terms count",
    "log_softmax": "f(rows*n) rows n",
    "layer_norm": "f(rows*n) f(n) f(n) f(rows*n) rows n",
    "attend": "f(rows*stride) first stride f(keys*wide) one two wide keys ?i(rows*step)<keys step ?q(rows)<keys "
    "q(rows)<keys f(rows*heads*depth) ?f(rows*most) most rows heads depth "
    "| stride=first+heads*depth wide=one+two+2*heads*depth step=keys+1 most=keys+1",
    "embed": "b(rows*k) f(rows) f(most*k) q(n)<rows q(n)<most x f(n*k) rows most n k",
    "worth": "f(rows*n) f(inputs*n) u(shared*n) q(inputs)<n q(rows)<inputs f(rows) f(rows) x f(rows*n) f(2*rows) "
    "rows n inputs shared | shared=inputs",
    "best": "f(rows*n) q(rows)<inputs f(rows) u(inputs) q(inputs*width) q(inputs*width) f(inputs*width) "
    "rows n inputs width",
    "remember": "@memory f(tokens*width) f(room*2*width) s(inputs)<tokens l(inputs)<tokens a(inputs)<room tokens room "
    "inputs heads | tokens=inputs*each room=inputs*up(tokens,16)",
    "layer": "b(m*k) f(m) ?f(m) m k",
    "apply": "@layer f(n*k) ?f(n*m) f(n*m) n p",
    "block": "@layers f(6*width) width heads",
    "encode": "@block f(tokens*width) s(inputs)<tokens l(inputs)<tokens tokens inputs | tokens=inputs*each",
    "decode": "@block f(rows*width) f(most*stride) h(rows*t)<used f(room*2*width) l(inputs)<tokens a(inputs)<room "
    "q(rows)<inputs ?f(rows*tokens) rows t used most stride room inputs tokens "
    "| tokens=inputs*each room=inputs*up(tokens,16) most=used+rows+each stride=2*width+t",
    "candidates": "b(rows*k) f(rows) f(rows) rows k ?@shared i(few)<rows few i(total)<rows o(inputs+1)<total "
    "inputs total | total=inputs*each",
    "score": "@candidates f(n*k) q(n)<inputs f(n*stride) n stride",
    "step": "+@block +f(most*stride) +f(room*2*width) @candidates b(rows*width) f(rows) f(far*width) f(2*width) "
    "q(n)<rows i(n*(t-1))<used ?i(n)<used i(n*t) l(inputs)<tokens a(inputs)<room q(n)<inputs f(most*width) "
    "f(most*tokens) ?f(n*tokens) f(n*wide) x n t used most stride room inputs tokens wide rows far width "
    "| k=width tokens=inputs*each room=inputs*up(tokens,16) most=used+n+each stride=2*width+t far=t+each wide=total",
}
ODD = (-1, 0, 1, 2, 15, 17, 63, 65, 257, 1 << 20, 1 << 31, 1 << 40, 1 << 62, -(1 << 62))
KINDS = {"f": np.float32, "b": np.int8, "u": np.uint8, "i": np.int32, "h": np.int32} | dict.fromkeys("qslao", np.int64)


class Draw:
    """Choices read from bytes; zeros after their end. Numbers keep the value they were first given."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0
        self.numbers: dict[str, int] = {}
        self.usual: dict[str, str] = {}  # formulas of numbers that follow from others
        self.contents = np.random.default_rng(list(data[:8]))

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1] if self.place <= len(self.data) else 0

    def number(self, name: str) -> int:
        if name not in self.numbers:
            byte, formula = self.byte(), self.usual.pop(name, None)
            if formula and byte % 16:
                self.numbers[name] = self.size(formula)
            else:
                self.numbers[name] = byte % 20 + 1 if byte < 236 else ODD[byte % len(ODD)]
        return self.numbers[name]

    def size(self, formula: str) -> int:
        names = {name: self.number(name) for name in re.findall(r"\b(?!up\b)[a-z]+\b", formula)}
        return int(eval(formula, {"up": lambda a, b: -(-a // b) * b}, names))

    def array(self, kind: str, formula: str, bound: str) -> np.ndarray[Any, Any]:
        wanted, byte = self.size(formula), self.byte()
        if byte >= 240:  # too small, too large, another type, backwards
            wanted = (wanted - 1, 0, wanted + 3, 7)[byte % 4]
        size = wanted if 0 <= wanted <= 1 << 16 else 64
        if kind in "slaoh" and byte % 16 and 0 < size < 1 << 12:
            found = self.laid_out(kind, size, min(max(self.number(bound), 1), 1 << 12))
        elif kind == "f":
            found = self.contents.normal(0, 10.0 ** (byte % 5), size).astype(np.float32)
            found[self.contents.random(size) < 0.02] = self.contents.choice([np.nan, np.inf, -np.inf, 0, 3e38])
        else:
            most = min(max(self.number(bound), 1), 1 << 30) if bound else 127
            found = self.contents.integers(-1 if byte % 8 == 7 else 0, most, size).astype(KINDS[kind])
            found = np.sort(found) if byte % 2 else found
        return found[::-1] if byte == 239 else found

    def laid_out(self, kind: str, size: int, room: int) -> np.ndarray[Any, Any]:
        """Starts, lengths, padded places, offsets of inputs within `room`, or hypotheses whose last piece is new."""
        if kind == "h":
            rows, t = max(self.number("rows"), 1), max(self.number("t"), 1)
            found = self.contents.integers(0, room, (rows, t)).astype(np.int32)
            found[:, -1] = self.number("used") + np.arange(rows)
            return np.resize(found.ravel(), size)
        count = size - (kind == "o")
        lengths = np.full(max(count, 1), max(room // max(count, 1), 1))
        if kind == "a":
            lengths = np.full(max(count, 1), -(-max(self.number("each"), 1) // 16) * 16)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return np.resize(lengths if kind == "l" else starts, size).astype(np.int64)


def arguments(draw: Draw, spec: str) -> list[Any]:
    """Arguments of a kernel as its description says."""
    parts, _, usual = spec.partition("|")
    draw.usual |= dict(each.split("=") for each in usual.split())
    return [argument(draw, part) for part in parts.split()]


def argument(draw: Draw, part: str) -> Any:
    if part.startswith("?"):
        return None if draw.byte() % 3 == 0 else argument(draw, part[1:])
    if part.startswith("+"):
        return tuple(argument(draw, part[1:]) for _ in range(1 + draw.number("layers") % 2))
    if part.startswith("@"):
        return made(draw, part[1:])
    if part == "p":
        return bool(draw.byte() % 2)
    if part == "x":
        return float(draw.contents.normal())
    array = re.fullmatch(r"([fbuiqslaoh])\((.+)\)(?:<([a-z]+))?", part)
    return draw.array(array[1], array[2], array[3] or "") if array else draw.number(part)


def made(draw: Draw, what: str) -> Any:
    """An object of another kernel, of the sizes drawn so far."""
    from hedline.runtime import _kernels as kernels  # type: ignore[attr-defined]

    def layer(m: int, k: int) -> Any:
        if not (0 < m <= 512 and 0 < k <= 512):
            m, k = 3, 5
        weight = draw.contents.integers(-127, 128, (m, k)).astype(np.int8)
        return kernels.layer(weight, np.ones(m, np.float32), None, m, k)

    if what == "layer":
        return layer(draw.number("m"), draw.number("k"))
    if what == "shared":
        return layer(draw.number("few"), draw.number("k"))
    if what == "memory":
        width = draw.numbers.setdefault("width", draw.number("heads") * 8)
        return layer(2 * width, width)
    if what in ("layers", "block"):
        heads, deep = draw.number("heads"), draw.byte() % 4
        width = draw.numbers.setdefault("width", heads * 8 * (1 + draw.byte() % 3))
        inner = 1 + draw.byte() % 40
        sizes = [(3 * width, width), (width, width), (inner, width), (width, inner), *[(width, width)] * 2]
        layers = tuple(layer(m, k) for m, k in sizes[: 6 if deep else 4])
        norms = draw.contents.normal(size=6 * max(1, min(width, 600))).astype(np.float32)
        return layers if what == "layers" else kernels.block(layers, norms, width, heads)
    return getattr(kernels, what)(*arguments(draw, KERNELS[what]))


REFUSED = (ValueError, IndexError, TypeError, BufferError, OverflowError, MemoryError)


def call_kernels(data: bytes) -> None:
    """One to three calls of one kernel, at a level of the processor and a number of threads drawn from the data."""
    from hedline.runtime import _kernels as kernels  # type: ignore[attr-defined]

    draw = Draw(data)
    name = list(KERNELS)[draw.byte() % len(KERNELS)]
    kernels.set_level(draw.byte() % 3)
    kernels.set_threads(1 + draw.byte() % 2)
    for _ in range(1 + draw.byte() % 3):
        with suppress(*REFUSED):
            getattr(kernels, name)(*arguments(draw, KERNELS[name]))


def tester(target: str, folder: Path) -> Callable[[bytes], None]:
    """What is done with one input of a target."""
    if target == "kernels":
        return call_kernels
    from hedline.errors import UserError

    read, path = readers()[target], folder / NAMES.get(target, "file")

    def one(data: bytes) -> None:
        path.write_bytes(data)
        begin = time.monotonic()
        try:
            read(path)
        except UserError as error:
            assert "\n" not in str(error), "more than one sentence"
        assert time.monotonic() - begin < SLOW, "too slow"

    return one
