#!/usr/bin/env bash
# Trains ABS on one machine with one GPU: as printed from nothing, and both versions on a teacher's headlines.
#
#   scripts/gpu/train-abs.sh printed ORIGINAL OUT          # the attention exactly as printed, on the pairs' own headlines
#   scripts/gpu/train-abs.sh taught TAUGHT ABS OUT         # ABS (our options) further on a teacher's headlines, two rates
#   scripts/gpu/train-abs.sh printed-taught TAUGHT OUT     # the printed one further on the same
#
# ORIGINAL, TAUGHT: data folders prepared with --vocabulary-from abs. T_PRINTED, T_TAUGHT: seconds (85, 45); compiling the
# step takes up to half a minute of them when several trainings start together.
set -u
export PYTHONUNBUFFERED=1

train() { # train NAME DATA OPTIONS…
  local name=$1
  shift
  python3 -m hedline train "$@" --out "$out/$name" --preset fast --batch 2048 --samples 0 --checkpoint-minutes 0 \
    --set dropout=0.2 >"$out/$name.log" 2>&1 || echo "$name failed: $(tail -1 "$out/$name.log")"
  tail -1 "$out/$name.log"
}

out=${*: -1}
mkdir -p "$out"
case $1 in
printed)
  train printed "$2" --encoder attention --epochs 20 --set lr=0.006 --time-limit "${T_PRINTED:-85}"
  ;;
taught)
  train slow "$2" --from "$3" --epochs 8 --set lr=0.0015 --time-limit "${T_TAUGHT:-45}" &
  train quick "$2" --from "$3" --epochs 14 --set lr=0.005 --time-limit "${T_TAUGHT:-45}" &
  wait
  ;;
printed-taught)
  train printed-taught "$2" --from "$3/printed" --epochs 8 --set lr=0.003 --time-limit 25
  ;;
esac
