#!/usr/bin/env bash
# place score: costs and rules of a placement by hand, other weights and grids, and what is refused.
source "$(dirname "$0")/common.sh"

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
is wirelength_cost 0.55
is density_cost 0.12
is congestion_cost 0.46
is legal true
is violations.# 0
awk -v p="$("$json" out proxy_cost)" 'BEGIN { exit !(p > 0.8399999 && p < 0.8400001) }' || fail "proxy"

gzip -k n.pb.txt
run place score n.pb.txt.gz --placement p.plc --json --wirelength-weight 0 --congestion-weight 0
expect 0
is proxy_cost 0.06

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
