#!/usr/bin/env bash
# Trains a shipped transformer further with judges of its headlines, on one machine with one GPU.
#
#   scripts/gpu/train-judged.sh reader WORK     # WORK/teacher: the reader taught to write headlines, T_READER (300) seconds
#   scripts/gpu/train-judged.sh judges WORK     # WORK/judges/one and two, begun as WORK/teacher where there is one
#   scripts/gpu/train-judged.sh labels WORK     # WORK/labels.jsonl: headlines of the teacher, T_LABELS (240) seconds
#   scripts/gpu/train-judged.sh like WORK       # WORK/like: the model after lessons by likelihood, the labels among them
#   scripts/gpu/train-judged.sh data WORK       # WORK/pairs: the pairs of WORK/fresh and the written headlines
#   scripts/gpu/train-judged.sh mixed WORK      # WORK/taught: the labels, as many pairs of WORK/fresh, and the same
#   scripts/gpu/train-judged.sh risk WORK NAME DATA FROM OPTIONS…   # WORK/risk/NAME from the model FROM, asking the judges
#
# WORK holds models/default; judged.tsv and judged-news.tsv (see train_judge.py); truth.tsv (see truth_data.py); fresh, a large
# data folder with the model's vocabulary; perhaps supported, another; perhaps reader (take_reader.py), without which the
# judges begin as the model and there are no labels; without labels news.jsonl, pairs whose leads the model labels itself.
set -u
export PYTHONUNBUFFERED=1 PYTHONPATH=src
what=${1:-} work=${2:-}
shift $(($# < 2 ? $# : 2))
here=$(dirname "$0")
python=${PYTHON:-python3}
model=$work/models/default
judged=("$work/judged.tsv")
[ -f "$work/judged-news.tsv" ] && judged+=("$work/judged-news.tsv")
folders=("$work/fresh")
[ -d "$work/supported" ] && folders+=("$work/supported")
written=("$work/truth.tsv")
common=(--samples 0 --checkpoint-minutes 0)

judge() { # judge NAME OPTIONS…
  local name=$1
  shift
  [ -d "$work/teacher" ] && set -- "$@" --reader "$work/teacher" --rate 1e-4
  "$python" "$here/train_judge.py" "$model" "$work/judges/$name" --judged "${judged[@]}" --epochs "${JUDGE_EPOCHS:-4}" "$@" \
    >"$work/judge-$name.log" 2>&1
}

truth_data() { # truth_data DATA NEWS OUT OPTIONS…
  local data=$1 news=$2 out=$3
  shift 3
  "$python" "$here/truth_data.py" "$model" "$data" "$news" "${written[@]}" "$out" --judged "${judged[@]}" "$@"
}

case $what in
reader)
  "$python" "$here/train_reader.py" "$work/reader" "$work/teacher" "${folders[@]}" --truth "${written[@]}" --judged "${judged[@]}" \
    --seconds "${T_READER:-300}" "$@"
  ;;
judges)
  mkdir -p "$work/judges"
  judge one --seed 1 &
  judge two --seed 2 &
  wait
  for name in judge-one judge-two; do echo "== $name" && tail -n 5 "$work/$name.log" | cut -c1-260; done
  ;;
labels)
  "$python" "$here/reader_labels.py" "$work/teacher" "$work/labels.jsonl" "${folders[@]}" --judges "$work/judges/one,$work/judges/two" \
    --seconds "${T_LABELS:-240}" "$@"
  ;;
like)
  news=(news.jsonl own)
  [ -f "$work/labels.jsonl" ] && news=(labels.jsonl given)
  truth_data "$work/fresh" "$work/${news[0]}" "$work/own" --headlines "${news[1]}" --times "${TIMES:-3}" &&
    "$python" -m hedline train "$work/own" --from "$model" --out "$work/like" "${common[@]}" --epochs "${EPOCHS:-2}" \
      --set optimizer=adamw --set lr="${RATE:-2e-4}" --set weight_decay=0 --set batch="${BATCH:-24576}" --set ema=0.99 \
      --set label_smoothing=0.05 &&
    cp "$model/tuning.json" "$work/like/"
  ;;
data)
  truth_data "$work/fresh" - "$work/pairs" --headlines pairs --times "${TIMES:-2}"
  ;;
mixed)
  truth_data "$work/fresh" "$work/labels.jsonl" "$work/taught" --headlines pairs --times "${TIMES:-2}" \
    --beside "$(wc -l <"$work/labels.jsonl")"
  ;;
risk)
  name=$1 data=$2 from=$3
  shift 3
  mkdir -p "$work/risk"
  "$python" -m hedline train "$data" --from "$from" --out "$work/risk/$name" "${common[@]}" --objective risk --epochs 20 \
    --set risk_samples=8 --set risk_ce=0.3 --set risk_dialed=0.55 --set risk_limited=0.2 --set risk_weights=0.45,0.35,0.2 \
    --set risk_judge="${JUDGES:-$work/judges/one,$work/judges/two}" --time-limit "${T_RISK:-1200}" "$@" >"$work/risk-$name.log" 2>&1
  ;;
*)
  sed -n '2,14p' "$0"
  exit 2
  ;;
esac
