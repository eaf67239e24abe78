"""The peers of the decoding benchmark: CTranslate2 int8 on t5-small's and distilbart-6-6's shapes, random weights.

Speed does not depend on the values of the weights when the number of output tokens is forced, so the shapes are
enough: nothing is downloaded. A peer reads and writes a token for each word; t5-small also runs with CTranslate2's own
map of candidates, and reading and writing as many tokens as our model has pieces for the same texts. A real peer: any
transformer of ours, run by CTranslate2 instead, with headlines of its own length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedline.errors import UserError, require
from hedline.files import read_entries
from hedline.runtime.tensors import TensorFile
from hedline.text.subword import Subwords

FREQUENT, COMPANIONS = 1000, 16  # candidates of the peers' vocabulary map: about 1,450 for 30 words, as ours
LONGEST = 48
BEAM, WORDS = 5, 12
MAPPED = "t5-small"  # the peer that is also measured with a map and in pieces
System = Callable[[Sequence[str]], Any]  # from texts to headlines


@dataclass(frozen=True)
class Shape:
    """Sizes of an encoder-decoder transformer."""

    name: str
    layers: int
    width: int
    inner: int
    heads: int
    vocabulary: int
    t5: bool


T5_SMALL = Shape("t5-small", 6, 512, 2048, 8, 32128, True)
DISTILBART = Shape("distilbart-6-6", 6, 1024, 4096, 16, 50264, False)
PEERS = (T5_SMALL, DISTILBART)


class RandomWeights:
    """Fills CTranslate2 layer specifications with small random numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def array(self, *shape: int) -> Any:
        """Normal numbers of the size of a trained layer's."""
        return self.generator.standard_normal(shape, np.float32) * np.float32(0.02)

    def linear(self, spec: Any, rows: int, columns: int, bias: bool) -> None:
        """A linear layer (rows, columns)."""
        spec.weight = self.array(rows, columns)
        if bias:
            spec.bias = self.array(rows)

    def norm(self, spec: Any, width: int, beta: bool) -> None:
        """A layer norm (with beta) or an RMS norm (without)."""
        spec.gamma = np.ones(width, np.float32)
        if beta:
            spec.beta = np.zeros(width, np.float32)

    def attention(self, spec: Any, shape: Shape, own: bool) -> None:
        """Self-attention (queries, keys and values in one matrix) or attention to the input."""
        bias = not shape.t5
        sizes = [3, 1] if own else [1, 2, 1]
        for linear, parts in zip(spec.linear, sizes, strict=True):
            self.linear(linear, parts * shape.width, shape.width, bias)
        self.norm(spec.layer_norm, shape.width, not shape.t5)
        if shape.t5:
            spec.queries_scale = np.float32(1.0)
            if own:
                spec.relative_attention_bias = self.array(32, shape.heads)  # (buckets, heads)
                spec.relative_attention_max_distance = np.int32(128)

    def stack(self, spec: Any, shape: Shape, decoder: bool) -> None:
        """An encoder or a decoder."""
        table = spec.embeddings if decoder else spec.embeddings[0]
        table.weight = self.array(shape.vocabulary, shape.width)
        spec.scale_embeddings = False
        if shape.t5:
            self.norm(spec.layer_norm, shape.width, False)
        else:
            spec.position_encodings.encodings = self.array(1026, shape.width)
            self.norm(spec.layernorm_embedding, shape.width, True)
        for layer in spec.layer:
            self.attention(layer.self_attention, shape, own=True)
            if decoder:
                self.attention(layer.attention, shape, own=False)
            self.linear(layer.ffn.linear_0, shape.inner, shape.width, not shape.t5)
            self.linear(layer.ffn.linear_1, shape.width, shape.inner, not shape.t5)
            self.norm(layer.ffn.layer_norm, shape.width, not shape.t5)


def _specs() -> tuple[Any, Any]:
    """CTranslate2's modules of specifications."""
    try:
        from ctranslate2.specs import common_spec, transformer_spec
    except ImportError:
        raise require("ctranslate2", "fast", "comparing with CTranslate2") from None
    return transformer_spec, common_spec


def write_peer(shape: Shape, folder: Path) -> Path:
    """Write the peer as an int8 CTranslate2 model; returns its folder."""
    transformer_spec, common_spec = _specs()
    spec = transformer_spec.TransformerSpec.from_config(
        (shape.layers, shape.layers),
        shape.heads,
        pre_norm=shape.t5,
        activation=common_spec.Activation.RELU if shape.t5 else common_spec.Activation.GELU,
        relative_attention_bias=shape.t5,
        rms_norm=shape.t5,
        layernorm_embedding=not shape.t5,
    )
    weights = RandomWeights()
    weights.stack(spec.encoder, shape, decoder=False)
    weights.stack(spec.decoder, shape, decoder=True)
    weights.linear(spec.decoder.projection, shape.vocabulary, shape.width, bias=False)
    tokens = ["<blank>", "<unk>", "<s>", "</s>", *(f"t{i}" for i in range(shape.vocabulary - 4))]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.register_vocabulary_mapping(str(_write_map(tokens, folder / f"{shape.name}.map")))
    return _save(spec, folder / shape.name)


def _write_map(tokens: Sequence[str], path: Path) -> Path:
    """CTranslate2's map of candidates, as large as our shortlist: frequent tokens, and companions of each token."""
    frequent, rest = tokens[:FREQUENT], tokens[FREQUENT:] or tokens
    lines = ["\t" + " ".join(frequent)]
    lines += [f"{token}\t" + " ".join(rest[(COMPANIONS * i + j) % len(rest)] for j in range(COMPANIONS))
              for i, token in enumerate(tokens[4:])]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _save(spec: Any, target: Path) -> Path:
    spec.validate()
    spec.optimize(quantization="int8")
    target.mkdir(parents=True, exist_ok=True)
    spec.save(str(target))
    return target


def convert(source: Path, folder: Path) -> Path:
    """A transformer of ours as an int8 CTranslate2 model with the same weights; returns its folder."""
    from hedline.runtime.folder import ModelFolder
    from hedline.runtime.transformer import positions

    transformer_spec, common_spec = _specs()
    model = ModelFolder.open(source)
    if model.config.family != "transformer":
        raise UserError(f"{source} is no transformer; CTranslate2 can run only such a model")
    architecture, weights = model.config.architecture, TrainedWeights(model.tensors)
    layers = (architecture["encoder_layers"], architecture["decoder_layers"])
    spec = transformer_spec.TransformerSpec.from_config(
        layers, architecture["heads"], pre_norm=True, activation=common_spec.Activation.RELU
    )
    for side, place in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        table = side.embeddings if place == "decoder" else side.embeddings[0]
        table.weight = model.tensors.float("embedding.weight")
        side.scale_embeddings = True
        side.position_encodings.encodings = positions(1024, architecture["width"])
        weights.norm(side.layer_norm, f"{place}_norm")
        for number, layer in enumerate(side.layer):
            weights.layer(layer, f"{place}.{number}", place == "decoder")
    spec.decoder.projection.weight = model.tensors.float("embedding.weight")
    spec.decoder.projection.bias = model.tensors.float("bias")
    names = read_entries(source / "vocab.input.txt")
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    return _save(spec, folder / f"real-{source.name}")


class TrainedWeights:
    """Fills CTranslate2 layer specifications from a model folder."""

    def __init__(self, tensors: TensorFile) -> None:
        self.tensors = tensors

    def linear(self, spec: Any, *names: str) -> None:
        """One product from one or several stacked layers."""
        spec.weight = np.concatenate([self.tensors.float(f"{name}.weight") for name in names])
        spec.bias = np.concatenate([self.tensors.float(f"{name}.bias") for name in names])

    def norm(self, spec: Any, name: str) -> None:
        """A layer norm."""
        spec.gamma, spec.beta = self.tensors.float(f"{name}.weight"), self.tensors.float(f"{name}.bias")

    def layer(self, spec: Any, place: str, decoder: bool) -> None:
        """A layer of the encoder or the decoder."""
        own = f"{place}.attention"
        self.norm(spec.self_attention.layer_norm, f"{own}_norm")
        self.linear(spec.self_attention.linear[0], f"{own}.query", f"{own}.key_value")
        self.linear(spec.self_attention.linear[1], f"{own}.output")
        if decoder:
            self.norm(spec.attention.layer_norm, f"{place}.cross_norm")
            for linear, part in zip(spec.attention.linear, ("query", "key_value", "output"), strict=True):
                self.linear(linear, f"{place}.cross.{part}")
        self.norm(spec.ffn.layer_norm, f"{place}.feed_norm")
        self.linear(spec.ffn.linear_0, f"{place}.feed.up")
        self.linear(spec.ffn.linear_1, f"{place}.feed.down")


class Peer:
    """A running peer; `headlines` forces the number of output tokens."""

    def __init__(self, folder: Path, threads: int) -> None:
        import ctranslate2

        self.translator = ctranslate2.Translator(
            str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )

    def headlines(
        self, inputs: list[list[str]], beam: int, tokens: int | None, mapped: bool = False
    ) -> list[list[str]]:
        """Output tokens of each input, exactly `tokens` of them (None: up to 48), decoded as one batch.

        mapped: only candidates of the model's vocabulary map.
        """
        results = self.translator.translate_batch(
            inputs,
            beam_size=beam,
            max_batch_size=len(inputs),
            min_decoding_length=tokens or 1,
            max_decoding_length=tokens or LONGEST,
            use_vmap=mapped,
        )
        return [result.hypotheses[0] for result in results]


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
