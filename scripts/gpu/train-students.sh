#!/usr/bin/env bash
# Trains smaller transformers on a teacher's headlines, then for ROUGE, on one machine with one GPU; the teacher too.
#
#   scripts/gpu/train-students.sh label SUBWORDS TEACHER OUT     # OUT/data/taught: TEACHER's headlines for LABELS pairs
#   scripts/gpu/train-students.sh learn TEACHER OUT NAME…        # students OUT/start/NAME on them, side by side
#   scripts/gpu/train-students.sh reward SUBWORDS TEACHER OUT NAME…  # each further for the ROUGE of its own headlines
#
# SUBWORDS: data folder as pack_data.py unpack leaves it; TEACHER: model folder whose tuning.json names the control tokens of
# use; OUT/start/NAME: what make_student.py cut out of TEACHER. `reward` trains OUT/learn/NAME, and TEACHER itself for the
# NAME `teacher`. LABELS (600000), T_LEARN (420), T_REWARD (420): pairs and seconds; several at once share the GPU, and
# compiling takes half a minute of each one's time.
set -u
export PYTHONUNBUFFERED=1
what=$1
shift

train() { # train FOLDER OPTIONS…
  local folder=$1
  shift
  mkdir -p "$(dirname "$folder")"
  python3 -m hedline train "$@" --out "$folder" --samples 0 --checkpoint-minutes 0 >"$folder.log" 2>&1 ||
    echo "$folder failed: $(tail -1 "$folder.log")"
  tail -1 "$folder.log"
}

case $what in
label)
  data=$1 teacher=$2 out=$3
  mkdir -p "$out/data"
  python3 -m hedline distill "$teacher" "$data" --out "$out/data/taught" --method "${METHOD:-beam}" --beam 4 \
    --controls usual --limit "${LABELS:-600000}" 2>&1 | tail -12
  ;;
learn)
  teacher=$1 out=$2
  shift 2
  for name in "$@"; do
    train "$out/learn/$name" "$out/data/taught" --from "$out/start/$name" --set lr=1e-3 --set matrix_rate=4 \
      --set ema=0.999 --epochs 60 --time-limit "${T_LEARN:-420}" ${EXTRA:-} &
  done
  wait
  ;;
reward)
  data=$1 teacher=$2 out=$3
  shift 3
  for name in "$@"; do
    from=$out/learn/$name
    [ "$name" = teacher ] && from=$teacher
    cp -n "$teacher/tuning.json" "$from/" 2>/dev/null
    train "$out/reward/$name" "$data" --from "$from" --objective risk --batch 768 --set risk_samples=8 \
      --set risk_ce=0.3 --set risk_dialed=0.6 --time-limit "${T_REWARD:-420}" ${EXTRA:-} &
  done
  wait
  ;;
*)
  sed -n '2,13p' "$0"
  exit 2
  ;;
esac
