#!/usr/bin/env bash
# Trains a shipped transformer further with judges of its headlines, on one machine with one GPU.
#
#   scripts/gpu/train-judged.sh judges WORK     # WORK/judges/one and two, and WORK/like: lessons by likelihood
#   scripts/gpu/train-judged.sh data WORK       # WORK/pairs: the pairs of WORK/fresh and the written headlines
#   scripts/gpu/train-judged.sh risk WORK NAME FROM OPTIONS…   # WORK/risk/NAME from the model FROM, asking the judges
#
# WORK holds models/default; spoil.jsonl (well supported pairs) and news.jsonl (pairs whose leads the model labels itself);
# judged.tsv and judged-news.tsv (see train_judge.py); truth.tsv (see truth_data.py); base, a small data folder with the
# model's vocabulary; and for `data` fresh, a large one. T_RISK (1200): seconds of a risk training.
set -u
export PYTHONUNBUFFERED=1 PYTHONPATH=src
what=${1:-} work=${2:-}
shift $(($# < 2 ? $# : 2))
here=$(dirname "$0")
model=$work/models/default
judged=("$work/judged.tsv")
[ -f "$work/judged-news.tsv" ] && judged+=("$work/judged-news.tsv")
common=(--samples 0 --checkpoint-minutes 0)

judge() { # judge NAME OPTIONS…
  local name=$1
  shift
  ${PYTHON:-python3} "$here/train_judge.py" "$model" "$work/judges/$name" --judged "${judged[@]}" "$@" \
    >"$work/judge-$name.log" 2>&1
}

like() {
  ${PYTHON:-python3} "$here/truth_data.py" "$model" "$work/base" "$work/news.jsonl" "$work/truth.tsv" "$work/own" --judged "${judged[@]}" \
    --times "${TIMES:-3}" &&
    ${PYTHON:-python3} -m hedline train "$work/own" --from "$model" --out "$work/like" "${common[@]}" --epochs "${EPOCHS:-1}" \
      --set optimizer=adamw --set lr="${RATE:-1e-4}" --set weight_decay=0 --set batch="${BATCH:-24576}" --set ema=0.99 \
      --set label_smoothing=0.05
  cp "$model/tuning.json" "$work/like/"
}

case $what in
judges)
  mkdir -p "$work/judges"
  judge one --seed 1 --news "$work/spoil.jsonl" &
  judge two --seed 2 &
  like >"$work/like.log" 2>&1 &
  wait
  for name in judge-one judge-two like; do echo "== $name" && tail -n 9 "$work/$name.log" | cut -c1-260; done
  ;;
data)
  ${PYTHON:-python3} "$here/truth_data.py" "$model" "$work/fresh" - "$work/truth.tsv" "$work/pairs" --headlines pairs --judged "${judged[@]}" \
    --times "${TIMES:-2}"
  ;;
risk)
  name=$1 from=$2
  shift 2
  mkdir -p "$work/risk"
  ${PYTHON:-python3} -m hedline train "$work/pairs" --from "$from" --out "$work/risk/$name" "${common[@]}" --objective risk --epochs 20 \
    --set risk_samples=8 --set risk_ce=0.3 --set risk_dialed=0.55 --set risk_limited=0.2 --set risk_weights=0.45,0.35,0.2 \
    --set risk_judge="$work/judges/one,$work/judges/two" --time-limit "${T_RISK:-1200}" "$@" >"$work/risk-$name.log" 2>&1
  ;;
*)
  sed -n '2,11p' "$0"
  exit 2
  ;;
esac
