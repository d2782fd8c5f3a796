#!/usr/bin/env bash
# Kills a running study with SIGKILL at random moments and resumes it, over and over; at its end the
# export must equal that of a run that was left alone, byte by byte, and the database must verify.
# Usage: kills.sh [KILLS], 10 by default.
source "$(dirname "$0")/common.sh"
wanted=${1:-10}
build release -DSCANTLE_TESTS=ON -DSCANTLE_BENCH=ON
scantle=build/release/cli/scantle
study=configs/studies/efficientnet-b0.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
RANDOM=1 # the same moments each time, as far as a clock can repeat

# search DATABASE SEED: runs the study to its end, or goes on with it.
search() { "$scantle" search "$study" -n 200 --seed "$2" --db "$1" --quiet >"$tmp/out" 2>"$tmp/err"; }

killed=0
for ((seed = 1; killed < wanted; seed++)); do
    began=$(date +%s%N)
    search "$tmp/alone.db" "$seed"
    whole=$((($(date +%s%N) - began) / 1000)) # us
    in_round=0
    while ((killed < wanted && in_round < 5)); do
        # exec: the process that is killed must be the program, not a shell around it
        (exec "$scantle" search "$study" -n 200 --seed "$seed" --db "$tmp/killed.db" --quiet) \
            >"$tmp/out" 2>"$tmp/err" &
        program=$!
        moment=$((whole * RANDOM / 32768 / 2))
        sleep "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))"
        kill -KILL "$program" 2>/dev/null || true
        status=0
        wait "$program" 2>/dev/null || status=$?
        ((status == 0)) && break # it was faster than the kill
        ((status == 137)) || { cat "$tmp/err"; exit 1; }
        killed=$((killed + 1))
        in_round=$((in_round + 1))
    done
    search "$tmp/killed.db" "$seed" || { cat "$tmp/err"; exit 1; }
    for database in alone killed; do
        "$scantle" db verify --db "$tmp/$database.db" >"$tmp/out"
        "$scantle" export efficientnet-b0 --db "$tmp/$database.db" --format csv --output "$tmp/$database.csv"
    done
    cmp "$tmp/alone.csv" "$tmp/killed.csv" || {
        echo "seed $seed: the export differs after $in_round kills" >&2
        exit 1
    }
    rm -f "$tmp"/*.db*
done
say "$killed kills, $((seed - 1)) studies: every export equals that of an uninterrupted run"
