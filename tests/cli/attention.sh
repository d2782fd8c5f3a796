#!/usr/bin/env bash
# --attention: what ran as one step, and where the rule has no meaning.
source "$(dirname "$0")/common.sh"

run evaluate fast bert-base:seq=128 --json
expect 0
is cascades null
is rules.attention apart
apart=$("$json" out latency_s)
run evaluate fast bert-base:seq=128 --attention cascade --json
expect 0
is rules.attention cascade
is cascades.# 12
is cascades.0.cascade true
is cascades.0.ops.2 l0_av
is op_list.4.name l0_qk
is op_list.4.dram_bytes 0.0
awk -v a="$apart" -v c="$("$json" out latency_s)" 'BEGIN { exit !(c < a) }' || fail "no faster"
run evaluate fast bert-base:seq=128 --attention cascade
expect 0
says out "12 of 12 run as a cascade"
run map fast bert-base:seq=128 --attention cascade
expect 4
says err "use evaluate"
finish
