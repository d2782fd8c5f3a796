#!/usr/bin/env bash
# The edge data set: columns, shares, the same file for any number of threads and across resumes.
source "$(dirname "$0")/common.sh"
make_log() { python3 "$source_dir/scripts/edge_log.py" "$scantle" "$@" >said 2>&1 || fail "edge_log $*: $(tail -n 3 said)"; }
small=(--search 24 --area 60 rnnt-decoder:seq=10 alexnet)

make_log -o whole.csv --db a.db --random 30 --threads 2 "${small[@]}"
make_log -o one.csv --db b.db --random 15 --threads 1 "${small[@]}"
make_log -o one.csv --db b.db --random 30 --threads 1 "${small[@]}" # goes on with the 15
cmp -s whole.csv one.csv || fail "the log depends on threads or on an interrupt"
make_log -o other.csv --db c.db --random 30 --seed 2 "${small[@]}"
cmp -s whole.csv other.csv && fail "another seed gives the same log"
make_log -o worst.csv --db a.db --random 30 --best-share 0.4 "${small[@]}"

# Areas and reasons agree, times stand where a design is feasible, the roofline is what it says.
python3 - <<'END' || fail "the log is not what it says"
import csv
rows = list(csv.DictReader(open("whole.csv", encoding="utf-8")))
assert len(rows) == 2 * 54
assert {r["network"] for r in rows} == {"rnnt-decoder:seq=10", "alexnet"}
assert sum(r["source"] == "search" for r in rows) == 48
for r in rows:
    feasible = r["feasible"] == "true"
    assert feasible == (float(r["area_mm2"]) <= 60), r
    assert feasible == (r["latency_s"] != "") == (r["reason"] == ""), r
    assert feasible or r["reason"] == "area", r
    units = 1
    for name in ("pes_x", "pes_y", "cores", "simd_lanes"):
        units *= int(r[name])
    compute = int(r["net_macs"]) / (units * 800e6)
    assert abs(float(r["compute_s"]) / compute - 1) < 1e-6, r
    cores = units // int(r["simd_lanes"])
    assert units == int(r["units"]), r
    own = int(r["pe_memory"]) + int(r["instruction_memory"])
    staged = int(r["core_memory"]) + int(r["activation_memory"]) + int(r["parameter_memory"])
    grid = int(r["pes_x"]) * int(r["pes_y"])
    assert int(r["sram_bytes"]) == grid * own + cores * staged, r
    # two recurrent products of 320 x 1280 weights come ten times where no core holds them
    short = r["network"][0] == "r" and cores * int(r["core_memory"]) // 2 < 320 * 1280
    again = 9 * 2 * 320 * 1280 if short else 0
    moved = (int(r["net_weights"]) + again) / float(r["io_bandwidth"])
    both, dram = float(r["roofline_s"]), float(r["dram_s"])
    assert moved * 0.9 <= dram <= moved * 1.01, r
    assert max(compute, dram) * 0.999999 <= both <= (compute + dram) * 1.000001, r
    assert not feasible or float(r["latency_s"]) >= compute, r  # no design beats its units' peak
worst = list(csv.DictReader(open("worst.csv", encoding="utf-8")))
for network in {r["network"] for r in rows}:
    every, kept = ([float(r["latency_s"]) for r in t if r["network"] == network and r["latency_s"]]
                   for t in (rows, worst))
    every.sort(reverse=True)
    assert sorted(kept, reverse=True) == every[:len(kept)]
    assert 0.6 * len(every) <= len(kept) < len(every)
    assert len([r for r in worst if r["network"] == network and not r["latency_s"]]) == 54 - len(every)
END
finish
