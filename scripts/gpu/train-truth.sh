#!/usr/bin/env bash
# Trains shipped transformers further on true headlines written for it, on one machine with one GPU.
#
#   scripts/gpu/train-truth.sh WORK NAME…          # first by likelihood: WORK/like/NAME
#   scripts/gpu/train-truth.sh --risk WORK NAME…   # then for ROUGE and truth: WORK/risk/NAME from WORK/like/NAME
#
# WORK holds models/NAME, data/NAME (prepared with NAME's vocabulary), news.jsonl and truth.tsv; see truth_data.py.
# T_RISK (500): seconds of the second training. Several at once share the GPU.
set -u
export PYTHONUNBUFFERED=1 PYTHONPATH=src
risk=
[ "$1" = --risk ] && risk=1 && shift
work=$1
shift
here=$(dirname "$0")
common=(--samples 0 --checkpoint-minutes 0)

like() { # like NAME
  python3 "$here/truth_data.py" "$work/models/$1" "$work/data/$1" "$work/news.jsonl" "$work/truth.tsv" "$work/own/$1" ${BUILD:-}
  python3 -m hedline train "$work/own/$1" --from "$work/models/$1" --out "$work/like/$1" "${common[@]}" --epochs "${EPOCHS:-4}" \
    --set optimizer=adamw --set lr="${RATE:-1e-4}" --set weight_decay=0 --set batch="${BATCH:-24576}" --set ema=0.99 \
    --set label_smoothing=0.05 ${EXTRA:-}
}

reward() { # reward NAME
  python3 "$here/truth_data.py" "$work/models/$1" "$work/data/$1" "$work/news.jsonl" "$work/truth.tsv" "$work/pairs/$1" \
    --headlines pairs ${BUILD:-}
  cp "$work/models/$1/tuning.json" "$work/like/$1/"
  python3 -m hedline train "$work/pairs/$1" --from "$work/like/$1" --out "$work/risk/$1" "${common[@]}" --objective risk \
    --epochs 20 --batch "${RISK_BATCH:-512}" --set risk_samples=8 --set risk_ce=0.3 --set risk_dialed=0.55 --set risk_limited=0.2 \
    --set risk_weights=0.45,0.35,0.2 --set risk_meaning=0.25 --time-limit "${T_RISK:-500}" ${EXTRA:-}
}

mkdir -p "$work/like" "$work/own" "$work/risk" "$work/pairs"
for name in "$@"; do
  if [ -n "$risk" ]; then reward "$name"; else like "$name"; fi >"$work/${risk:+risk-}$name.log" 2>&1 &
done
wait
for name in "$@"; do tail -n "${LINES_SHOWN:-12}" "$work/${risk:+risk-}$name.log" | cut -c1-220; done
