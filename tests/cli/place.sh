#!/usr/bin/env bash
# place score: costs and rules of a placement by hand, other weights and grids, and what is refused.
source "$(dirname "$0")/common.sh"

# near PATH VALUE: the number there is that one, but for rounding.
near() {
    awk -v is="$(value "$1")" -v want="$2" 'BEGIN { d = is - want; exit !(d < 1e-9 && d > -1e-9) }' ||
        fail "$what: $1 is not $2"
}

cat >n.pb.txt <<'END'
node { name: "p" input: "m/0" attr { key: "type" value { placeholder: "PORT" } } }
node { name: "m" attr { key: "type" value { placeholder: "MACRO" } }
  attr { key: "width" value { f: 30 } } attr { key: "height" value { f: 20 } } }
node { name: "m/0" attr { key: "type" value { placeholder: "MACRO_PIN" } }
  attr { key: "macro_name" value { placeholder: "m" } }
  attr { key: "x_offset" value { f: 7 } } attr { key: "y_offset" value { f: 3 } } }
END
cat >p.plc <<'END'
# Columns : 4  Rows : 4
# Width : 100  Height : 100
# Routes per micron, hor : 2  ver : 4
# Routes used by macros, hor : 1  ver : 3
# Proxy cost : 99
0 0 0 - 1
1 50 50 N 0
END

run place score n.pb.txt --placement p.plc --json
expect 0
is hpwl_um 110.0
near wirelength_cost 0.55
near density_cost 0.12
near congestion_cost 0.46
is legal true
is violations.# 0
awk -v p="$("$json" out proxy_cost)" 'BEGIN { exit !(p > 0.8399999 && p < 0.8400001) }' || fail "proxy"

gzip -k n.pb.txt
run place score n.pb.txt.gz --placement p.plc --json --wirelength-weight 0 --congestion-weight 0
expect 0
near proxy_cost 0.06

run place score n.pb.txt --placement p.plc --json --congestion-grid 8x8
expect 0
is density_cost 0.12

sed 's/^1 50 50/1 95 50/' p.plc >out.plc
run place score n.pb.txt --placement out.plc --json
expect 0
is legal false
is violations.0.code outside
is violations.0.macro m
is violations.0.excess_um2 200.0
run place score n.pb.txt --placement out.plc
expect 0
says out "outside"

run place score n.pb.txt
expect 4
says err "needs --placement"
run place score n.pb.txt --placement p.plc --congestion-grid 8
expect 4
says err "columns x rows"
run place score n.pb.txt --placement p.plc --density-weight -1
expect 4
says err "weight should be a number of at least 0"
run place score none.pb.txt --placement p.plc
expect 4
says err "none.pb.txt"
echo '1 2' >>p.plc
run place score n.pb.txt --placement p.plc
expect 4
says err "p.plc:8:"
sed 's/MACRO_PIN/PIN/' n.pb.txt >bad.pb.txt
run place score bad.pb.txt --placement p.plc
expect 4
says err "bad.pb.txt:4:6: error: node 'm/0' is of type 'PIN'"

# ---- placing ----
sed -i '$d' p.plc
cat >>n.pb.txt <<'END'
node { name: "k" input: "m/0" input: "s" attr { key: "type" value { placeholder: "MACRO" } }
  attr { key: "width" value { f: 40 } } attr { key: "height" value { f: 40 } } }
node { name: "s" input: "p" attr { key: "type" value { placeholder: "macro" } }
  attr { key: "width" value { f: 5 } } attr { key: "height" value { f: 5 } } }
END
printf '3 45 50 N 0\n4 120 50 N 0\n' >>p.plc
run place score n.pb.txt --placement p.plc --json
is legal false

run place n.pb.txt --init p.plc --moves 5000 --seed 3 -o one.plc --json
expect 0
is feasible true
is moves 5000
is stopped_by budget
proxy=$("$json" out proxy_cost)
run place score n.pb.txt --placement one.plc --json
expect 0
is legal true
is proxy_cost "$proxy"
run place n.pb.txt --init p.plc --moves 5000 --seed 3 -j 2 -o two.plc
expect 0
cmp one.plc two.plc || fail "another placement for the same seed"
run place n.pb.txt --init p.plc --time 0.3 -o three.plc --json
expect 0
is stopped_by time

cp p.plc kept.plc
run place n.pb.txt --init p.plc --moves 10 -o ./p.plc
expect 4
says err "would be lost"
cmp p.plc kept.plc || fail "the start was overwritten"
run place n.pb.txt --init p.plc --moves 10
expect 4
says err "--output"
run place n.pb.txt --init p.plc --moves 10 -o none/out.plc
expect 4
[ ! -e none ] || fail "a folder was made"
sed -i 's/f: 40/f: 140/' n.pb.txt
run place n.pb.txt --init p.plc --moves 10 -o four.plc --json
expect 2
is feasible false
says out "macro 'k' of 140 x 40 um is larger than the canvas of 100 x 100 um"
[ ! -e four.plc ] || fail "a placement was written though there is none"

# what is fixed stays where it is, and what it breaks is said
sed -i 's/f: 140/f: 40/' n.pb.txt
sed -i 's/^1 .*/1 50 50 N 1/; s/^3 .*/3 50 50 N 1/' p.plc
run place n.pb.txt --init p.plc --moves 10 -o five.plc --json
expect 2
is legal false
says err "place score names them"

# ---- rules ----
sed -i 's/^1 .*/1 39 50 N 0/; s/^3 .*/3 78 50 N 0/; s/^4 .*/4 20 50 N 0/' p.plc
cat >rules.yaml <<'END'
version: 1
regions: {left: [0, 0, 50, 100]}
macros: [{name: m, region: left}, {name: k, at_um: [75, 30]}]
END
run place n.pb.txt --init p.plc --moves 500 --constraints rules.yaml --halo 2,3 -o six.plc --json
expect 0
is legal true
run place score n.pb.txt --placement six.plc --constraints rules.yaml --halo 2,3 --json
is legal true
run place score n.pb.txt --placement p.plc --constraints rules.yaml --halo 2,3 --json
expect 0
is legal false
is violations.0.code region
is violations.0.macro m
is violations.1.code moved
is violations.1.macro k
run place score n.pb.txt --placement p.plc --halo 1,-2
expect 4
says err "--halo: '1,-2'"
run place score n.pb.txt --placement p.plc --constraints p.plc
expect 4
says err "p.plc:"

# ---- from scratch ----
run place n.pb.txt --canvas 100,90 --grid 6x5 --moves 2000 --seed 2 -o seven.plc --json
expect 0
is legal true
says seven.plc "# Width : 100  Height : 90"
says seven.plc "# Columns : 6  Rows : 5"
run place n.pb.txt --canvas 100,90 --grid 6x5 --moves 2000 --seed 2 --start analytic -o eight.plc
expect 0
cmp seven.plc eight.plc || fail "the analytic start is not the usual one without --init"
run place n.pb.txt --utilization 0.5 --moves 200 --start spiral -o nine.plc --json
expect 0
is legal true
run place n.pb.txt --init p.plc --start spiral --moves 200 -o nine.plc --json
expect 0
run place n.pb.txt --start given --moves 200 -o nine.plc
expect 4
says err "--init"
run place n.pb.txt --canvas 100,0 --moves 200 -o nine.plc
expect 4
says err "--canvas: '100,0'"
run place n.pb.txt --init p.plc --canvas 100 --moves 200 -o nine.plc
expect 4
says err "without --init"

# ---- chains, and a run that goes on ----
run place n.pb.txt --init p.plc --moves 3000 --chains 3 -j 1 -o one.plc --json
expect 0
is moves 9000
run place n.pb.txt --init p.plc --moves 3000 --chains 3 -j 2 -o two.plc
expect 0
cmp one.plc two.plc || fail "another placement for another number of threads"

run place n.pb.txt --init p.plc --moves 200000 --chains 2 -o whole.plc
expect 0
("$scantle" place n.pb.txt --init p.plc --moves 200000 --chains 2 --state s.run -o parts.plc >/dev/null &
    echo $! >pid; wait) &
sleep 0.3
kill -INT "$(cat pid)" 2>/dev/null || true
wait
[ -s s.run ] || fail "no state was kept"
run place n.pb.txt --init p.plc --moves 200000 --chains 2 --state s.run -o parts.plc --json
expect 0
is stopped_by budget
is moves 400000
cmp whole.plc parts.plc || fail "another placement after a stop"
run place n.pb.txt --init p.plc --moves 200000 --chains 2 --seed 9 --state s.run -o parts.plc
expect 4
says err "another run"
head -c 200 s.run >cut.run
run place n.pb.txt --init p.plc --moves 200000 --chains 2 --state cut.run -o parts.plc
expect 4
says err "damaged"
run place n.pb.txt --init p.plc --moves 10 --state n.pb.txt -o parts.plc
expect 4
says err "no state"

# ---- many macros ----
"$source_dir/bench/big_netlist.sh" 60 4000 1 >many.pb.txt
run place many.pb.txt --halo 1 --moves 3000 -o many.plc --json
expect 0
is legal true
run place score many.pb.txt --placement many.plc --halo 1 --json
is legal true
run place many.pb.txt --utilization 0.9 --canvas 500 --moves 10 -o none.plc --json
expect 2
says out "are more than the canvas of 250000 um2"
[ ! -e none.plc ] || fail "a placement was written though there is none"
finish
