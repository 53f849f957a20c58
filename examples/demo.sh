#!/bin/sh
# The main job, start to end, in a fresh folder: sh examples/demo.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vault=${1:-demo}

show() {
  printf '\n\033[1m$ noctuary'
  for word in "$@"; do
    case $word in
      *' '*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\033[0m\n'
  noctuary "$@"
}

rm -rf "$vault"
show init "$vault"
export NOCTUARY_VAULT="$vault"

show import claude-code "$here/transcripts/website.claude-code.jsonl"
show import jsonl "$here/transcripts/everyday.zh.jsonl"
show dream

printf '\n\033[1mThe brain map, %s/index.md (first 40 lines)\033[0m\n' "$vault"
head -40 "$vault/index.md"

card=$(grep -rl '五万元' "$vault/cards" | sort | head -1)
printf '\n\033[1mA card, %s\033[0m\n' "$card"
cat "$card"

printf '\n\033[1m$ noctuary diff (first 40 lines)\033[0m\n'
noctuary diff >"$vault/.noctuary/demo.diff"
head -40 "$vault/.noctuary/demo.diff"

show recall "What may hosting cost at most?" -k 3
show recall "预算是多少？" -k 3
show context --budget 400
show stats
show verify
printf '\nThe vault is %s: open it in Obsidian, or look around with `git log` in there.\n' "$vault"
