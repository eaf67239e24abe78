#!/usr/bin/env bash
# Trains the shipped models on one machine with one GPU: the default in three stages, and ABS twice.
#
#   scripts/gpu/train-default.sh SUBWORDS BASE WORDS OUT
#
# SUBWORDS: data folder with rows.npy (1, 2: feeds of 2024, 2025), as pack_data.py unpack leaves it; BASE: a model made by
# make_base.py, its tuning.json naming the control tokens of use; WORDS: vocabularies of the word data; OUT gets models and logs.
# T_MAIN, T_FEEDS, T_RISK, T_ABS: seconds of each stage (780, 110, 300, 190: about 25 minutes on one H200).
set -u
data=$1 base=$2 words=$3 out=$4
mkdir -p "$out/data"
export PYTHONUNBUFFERED=1

train() { # train NAME DATA OPTIONS…
  local name=$1
  shift
  python3 -m hedline train "$@" --out "$out/$name" --samples 0 --checkpoint-minutes 0 >"$out/$name.log" 2>&1 ||
    echo "$name failed: $(tail -1 "$out/$name.log")"
  tail -1 "$out/$name.log"
}

# Pairs whose reward says something: well supported ones, of feeds also half supported ones.
python3 - "$data" <<'PY'
import sys
import numpy as np
data = sys.argv[1]
rows, offsets = np.load(f"{data}/rows.npy"), np.load(f"{data}/train.input_offsets.npy")
names = open(f"{data}/vocab.input.txt", encoding="utf-8").read().split("\n")
support = np.load(f"{data}/train.inputs.npy", mmap_mode="r")[offsets[:-1] + 1].astype(int) - names.index("<sup:0>")
np.save(f"{data}/risk.npy", ((support >= 3) & (support <= 4) | (rows > 0) & (support >= 2) & (support <= 4)).astype(np.uint8))
PY
python3 scripts/gpu/take_rows.py "$data" "$data/rows.npy" 1,2 "$out/data/feeds"
python3 scripts/gpu/take_rows.py "$data" "$data/risk.npy" 1 "$out/data/risk"
(python3 scripts/gpu/words_of_pieces.py "$data" "$words" "$out/data/words" &&
  python3 -m hedline subset "$out/data/words" --out "$out/data/abs" --min-support 0.4 --input-words 28000 --output-words 18000) &
train main "$data" --from "$base" --set lr=1e-3 --set matrix_rate=4 --set ema=0.999 --epochs 60 --time-limit "${T_MAIN:-780}"
train feeds "$out/data/feeds" --from "$out/main" --set lr=3e-4 --set matrix_rate=4 --set ema=0.995 --epochs 20 \
  --time-limit "${T_FEEDS:-110}"
cp "$base/tuning.json" "$out/feeds/"
train risk "$out/data/risk" --from "$out/feeds" --objective risk --batch 768 --set risk_samples=8 --set risk_ce=0.3 \
  --time-limit "${T_RISK:-300}"
wait
abs=("$out/data/abs" --preset fast --encoder attention --epochs 14 --batch 2048 --time-limit "${T_ABS:-190}" --set lr=0.006)
train options "${abs[@]}" --set share_copy=true --set positions=64 --set keys=taps --set values=taps --set share_context=true &
train printed "${abs[@]}" &
wait
