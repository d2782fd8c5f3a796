#!/usr/bin/env bash
# train, predict and propose: a log by hand, the order of rows, what is new about a row, infeasible
# designs, bounds, other thread counts, and what is refused.
source "$(dirname "$0")/common.sh"

# cost = 1000 / (a b), infeasible where a b is above 64; two texts that do not matter.
awk 'BEGIN {
    print "id,a,b,kind,same,cost,ok"
    for (a = 1; a <= 32; a *= 2) for (b = 1; b <= 9; b++) for (k = 0; k < 2; k++) {
        ok = a * b <= 64
        printf "d%d,%d,%d,%s,7,%s,%s\n", ++n, a, b, k ? "x" : "y", ok ? 1000 / (a * b) : "", ok ? "true" : "false"
    }
}' >log.csv
run train --csv log.csv --target cost --feasible ok --ignore id -o m --seed 3 --json
expect 0
is target cost
is goal min
is target_scale log
is rows 108
is infeasible 26
is columns.kind label
is columns.a log
is constant.0 same
awk -v t="$("$json" out tau)" 'BEGIN { exit !(t > 0.95) }' || fail "tau"

run predict --model m --csv log.csv -o all.csv
expect 0
[[ $(head -1 all.csv) == "prediction,lower,upper,p_feasible,note" ]] || fail "heading $(head -1 all.csv)"
[[ $(wc -l <all.csv) -eq 109 ]] || fail "lines of all.csv"
# Within a tenth of the truth, in the order of the rows, lower <= prediction <= upper.
paste -d, log.csv all.csv | awk -F, 'NR > 1 && $7 == "true" {
    if ($8 < 0.9 * $6 || $8 > 1.1 * $6 || $9 > $8 || $10 < $8) bad++ } END { exit bad > 2 }' ||
    fail "forecasts"

cp m m1
run train --csv log.csv --target cost --feasible ok --ignore id -o m -j 1 --seed 3
expect 0
cmp -s m m1 || fail "another model with one thread"

# Columns in another order and more of them; a value, a label, a constant and a missing cell that are new.
printf 'more,b,kind,a,same\n1,2,x,4,7\n1,2,z,4,7\n1,2,x,4000,7\n1,,x,4,7\n1,2,x,4,8\n' >new.csv
run predict --model m --csv new.csv -o notes.csv
expect 0
[[ $(cut -d, -f5 notes.csv | tr '\n' ' ') == "note  label value missing constant "* ]] ||
    fail "notes: $(cut -d, -f5 notes.csv | tr '\n' ' ')"

# The best feasible ones have a b = 64, once each: kind does not matter, but differs.
cut -d, -f2-5 log.csv >cand.csv
run propose --model m --csv cand.csv --top 4 --json
expect 0
is '#' 4
awk -v a="$("$json" out 0.a)" -v b="$("$json" out 0.b)" 'BEGIN { exit !(a * b == 64) }' || fail "best proposal"
run propose --model m --csv cand.csv --top 3 --constraint 'a<=4' --constraint 'b>=9' --diverse 1 -o p.csv
expect 0
[[ $(sed -n '2,4s/,.*//p' p.csv | sort -u | tr '\n' ' ') == "2 4 " ]] || fail "bounds"
run propose --model m --csv cand.csv --constraint 'a<=0'
expect 2
says err "no candidate"

# What is refused, with its place.
run train --csv log.csv --target costs -o m
expect 4
says err "did you mean 'cost'"
run train --csv log.csv --target cost -o log.csv
expect 4
run predict --model log.csv --csv log.csv
expect 4
says err "log.csv:1:1"
cut -d, -f1-2 log.csv >short.csv
run predict --model m --csv short.csv
expect 4
says err "no column"
sed '5s/,[0-9]*,/,-3,/' cand.csv >negative.csv
printf 'a,b,kind,same\n-3,1,x,7\n' >negative.csv
run predict --model m --csv negative.csv
expect 4
says err "negative.csv:2:1"
head -3 log.csv >tiny.csv
run train --csv tiny.csv --target cost -o m
expect 4
sed 's/true/false/' log.csv | awk -F, -v OFS=, '{ if (NR > 1) $6 = ""; print }' >never.csv
run train --csv never.csv --target cost --feasible ok --ignore id -o m
expect 4
head -c 200 m1 >cut
run predict --model cut --csv cand.csv
expect 4
says err "cut:1:1"
run propose --model m1 --csv cand.csv --constraint 'a!4'
expect 4
says err "COLUMN<=X"
finish
