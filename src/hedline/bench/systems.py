"""The systems that `hedline bench decode` measures: functions from texts to headlines, by name.

Ours: as shipped (its own beam, its shortlist), with the peers' beam where that is another one, with the shortlist off,
and, of a trained model, headlines of its own length. Peers of t5-small's and distilbart's shapes: a token for each
word; t5-small also with CTranslate2's own map of candidates, and reading and writing as many tokens as our model has
pieces for the same texts. A real peer: any transformer of ours, run by CTranslate2 instead, with headlines of its own
length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hedline.bench.peers import Peer
from hedline.text.subword import Subwords

BEAM, WORDS = 5, 12
MAPPED = "t5-small"  # the peer that is also measured with a map and in pieces
System = Callable[[Sequence[str]], Any]


def our_systems(path: str) -> tuple[dict[str, System], dict[str, Any]]:
    """A model's systems, 12 words per headline or its own length, and facts about each."""
    from hedline.api import load
    from hedline.decoding.options import DecodeOptions
    from hedline.runtime.folder import ModelFolder

    config, summarizer, name = ModelFolder.open(path).config, load(path), f"hedline {Path(path).name}"
    shipped = summarizer.defaults.settle(DecodeOptions()).beam
    ways: dict[str, dict[str, Any]] = {name: {"exact_words": WORDS}}
    if shipped != BEAM:
        ways[f"{name}, beam {BEAM}"] = {"exact_words": WORDS, "beam": BEAM}
    ways[f"{name}, no shortlist"] = {"exact_words": WORDS, "full_vocabulary": True}
    note = config.training.get("note", "")
    if not note:
        ways[f"{name}, own length"] = {}
    else:  # a stand-in: no guard lets the nonsense of random weights pass, and all would be searched again
        free_of_guards = {"guard_meaning": False, "guard_names": False, "guard_numbers": False}
        ways = {way: {**options, **free_of_guards} for way, options in ways.items()}

    def system(options: dict[str, Any]) -> System:
        return lambda texts: summarizer.summarize(list(texts), batch=len(texts), **options)

    facts = {"family": config.family, "note": note, "beam": shipped}
    about = {way: {**facts, **options} for way, options in ways.items()}
    return {way: system(options) for way, options in ways.items()}, about


def peer_systems(name: str, path: str, threads: int, texts: Sequence[str], ours: Sequence[str]) -> dict[str, System]:
    """A peer of random weights; ours: model folders, of which the first one over subwords lends its pieces."""
    peer = Peer(Path(path), threads)
    systems: dict[str, System] = {name: _in_words(peer)}
    if name != MAPPED:
        return systems
    systems[f"{name}, mapped"] = _in_words(peer, mapped=True)
    subwords = next((Subwords.load(Path(each)) for each in ours if (Path(each) / "merges.txt").is_file()), None)
    if subwords is not None:
        systems[f"{name}, in pieces"] = _in_pieces(peer, subwords, texts)
    return systems


def _in_words(peer: Peer, mapped: bool = False) -> System:
    """Input tokens are the texts' words; 12 tokens are written."""
    ids: dict[str, str] = {}

    def headlines(texts: Sequence[str]) -> Any:
        tokens = [[ids.setdefault(word, f"t{len(ids) % 9999}") for word in text.split()] for text in texts]
        return peer.headlines(tokens, BEAM, WORDS, mapped)

    return headlines


def _in_pieces(peer: Peer, subwords: Subwords, texts: Sequence[str]) -> System:
    """Input tokens are as many as our pieces; as many are written as 12 words of these texts have pieces."""
    counts = [len(subwords.encode(" ".join(text.split()[:WORDS]))) for text in texts]
    wanted = round(sum(counts) / len(counts))

    def headlines(texts: Sequence[str]) -> Any:
        tokens = [[f"t{index % 9999}" for index in subwords.encode(text)] for text in texts]
        return peer.headlines(tokens, BEAM, wanted)

    return headlines


def real_peer(name: str, path: str, folder: str, threads: int) -> dict[str, System]:
    """A transformer of ours at `folder`, written for CTranslate2 at `path`; headlines have the model's own length."""
    from hedline.api import load
    from hedline.decoding.options import DecodeOptions

    summarizer, peer = load(folder), Peer(Path(path), threads)
    reader: Any = summarizer.reader
    options = summarizer.defaults.settle(DecodeOptions())

    def headlines(texts: Sequence[str]) -> Any:
        sources = [reader.read(text, 200)[0] for text in texts]
        tokens = [[reader.subwords.names[i] for i in source.ids] for source in reader.open(sources, options).sources]
        found = peer.headlines(tokens, BEAM, None)
        ids = [[reader.subwords.ids[token] for token in each if token in reader.subwords.ids] for each in found]
        return [reader.subwords.decode(each) for each in ids]

    return {f"{name} by CTranslate2": headlines}
