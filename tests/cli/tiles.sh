#!/usr/bin/env bash
# --tiles: what ran in groups, what that spares, and where the rule has no meaning.
source "$(dirname "$0")/common.sh"
design=fast:pes_x=32,pes_y=8,systolic_x=16,systolic_y=16,l3_global=2MiB

run evaluate "$design" mobilenet-v2 --fusion on --json
expect 0
is tiles null
is rules.tiles off
whole=$("$json" out latency_s)
run evaluate "$design" mobilenet-v2 --fusion on --tiles on --json
expect 0
is rules.tiles on
awk -v a="$whole" -v c="$("$json" out latency_s)" 'BEGIN { exit !(c < a) }' || fail "no faster"
awk -v n="$("$json" out tiles.groups.#)" 'BEGIN { exit !(n > 0) }' || fail "no groups"
awk -v a="$("$json" out tiles.dram_bytes_before)" -v c="$("$json" out tiles.dram_bytes_after)" \
    'BEGIN { exit !(c < a) }' || fail "no less traffic"
awk -v a="$("$json" out tiles.bound_cycles)" -v c="$("$json" out tiles.cycles_with)" \
    -v d="$("$json" out tiles.cycles_without)" 'BEGIN { exit !(a <= c && c <= d) }' ||
    fail "not between the bound and fusion without groups"
run evaluate "$design" mobilenet-v2 --tiles on
expect 0
says out "ops in"
says out "Groups that run tile by tile"
run evaluate tpu-v3 mobilenet-v2 --tiles on --json # no buffer that tensors can stay in
expect 0
is tiles.groups.# 0
run map fast mobilenet-v2 --tiles on
expect 4
says err "use evaluate"
finish
