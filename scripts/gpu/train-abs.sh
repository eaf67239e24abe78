#!/usr/bin/env bash
# Trains ABS on one machine with one GPU: as printed from nothing, and both versions on a teacher's headlines.
#
#   scripts/gpu/train-abs.sh printed ORIGINAL OUT          # the attention exactly as printed, on the pairs' own headlines
#   scripts/gpu/train-abs.sh taught TAUGHT ABS OUT         # ABS (our options) further on a teacher's headlines, two rates
#   scripts/gpu/train-abs.sh printed-taught TAUGHT OUT     # the printed one further on the same
#   scripts/gpu/train-abs.sh table2 ORIGINAL OUT           # the rows of Table 2 one after the other, the last as printed
#
# ORIGINAL, TAUGHT: data folders prepared with --vocabulary-from abs (or by words_of_pieces.py, then `hedline subset
# --min-support 0.4 --every-split`). T_PRINTED, T_TAUGHT, T_PAPER: seconds (85, 45, 1400); compiling the step takes up to
# half a minute of them when several trainings start together.
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
table2)
  T_PRINTED=${T_PRINTED:-220}
  for row in printed:attention:$T_PRINTED conv:conv:150 bow:bow:120 none:none:100; do
    IFS=: read -r name encoder seconds <<<"$row"
    train "$name" "$2" --encoder "$encoder" --epochs 20 --set lr=0.006 --time-limit "$seconds"
  done
  python3 -m hedline train "$2" --out "$out/paper" --preset paper --encoder attention --samples 0 --checkpoint-minutes 0 \
    --time-limit "${T_PAPER:-1400}" >"$out/paper.log" 2>&1
  tail -1 "$out/paper.log"
  ;;
printed-taught)
  train printed-taught "$2" --from "$3/printed" --epochs 8 --set lr=0.003 --time-limit 25
  ;;
esac
