#!/usr/bin/env python3
"""Logs designs of the `edge` template on nine networks of the PRIME kind as one CSV data set.

Usage: scripts/edge_log.py SCANTLE -o LOG.csv [--db FILE] [--random N] [--search N] [--area MM2]
                           [--seed N] [--threads N] [--best-share SHARE] [NETWORK...]

For each network two studies: designs drawn at random from the whole space, and designs that an
evolutionary search for a small chip went through, as a team's earlier campaign leaves them. A
design over the limit of area is infeasible; nothing else is. Studies that stand in the database go
on where they stopped, and the file is the same for any number of threads. With --best-share the
best designs of each network are left out of the file, so that what is learned from it must go past
it. Columns: docs/algorithms/edge_log.md. Only the standard library is used.
"""
import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

NETWORKS = ["mobilenet-edgetpu", "mobilenet-v2", "mobilenet-v3-large", "efficientnet-edgetpu-s",
            "efficientnet-edgetpu-m", "efficientnet-edgetpu-l", "unet:256", "rnnt-encoder:seq=100",
            "rnnt-decoder:seq=100"]
PARAMETERS = ["pes_x", "pes_y", "simd_lanes", "cores", "pe_memory", "core_memory",
              "activation_memory", "instruction_memory", "parameter_memory", "io_bandwidth"]
FEATURES = ["net_macs", "net_weights", "net_activations", "net_largest", "net_ops",
            "net_conv", "net_depthwise", "net_matmul"]
SIZES = ["units", "sram_bytes"]
ROOFLINE = ["compute_s", "dram_s", "roofline_s"]
KNOWN = PARAMETERS + SIZES + FEATURES + ROOFLINE  # without a simulation
METRICS = ["latency_s", "energy_j", "area_mm2"]
CLOCK_HZ = 800e6  # of configs/templates/edge.yaml
STUDY = """version: 1
name: {name}
template: edge
networks: ["{network}"]
objectives: [{objective}]
limits: {{area_mm2: {{max: {area}}}}}
optimizer: {optimizer}
seed: {seed}
budget: {budget}
"""


def plain_name(network):
    return network.replace(":", "-").replace("=", "").replace(",", "-")


def run(scantle, arguments, codes=(0, 2)):
    done = subprocess.run([scantle] + arguments, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit("%s %s: exit code %d\n%s" % (scantle, " ".join(arguments), done.returncode,
                                              done.stderr))
    return done.stdout


def trials(scantle, db, threads, folder, study):
    """The rows of one study, run to its end first."""
    path = os.path.join(folder, study["name"] + ".yaml")
    with open(path, "w", encoding="utf-8") as out:
        out.write(STUDY.format(**study))
    verb = "sweep" if study["optimizer"] in ("random", "list") else "search"
    run(scantle, [verb, path, "--db", db, "-q", "-j", str(threads)])
    table = run(scantle, ["export", path, "--db", db, "-f", "csv"])
    return list(csv.DictReader(io.StringIO(table)))


class Network:
    """What the op graph says without a simulation."""

    def __init__(self, scantle, name):
        self.name = name
        shown = json.loads(run(scantle, ["workload", "show", name, "--json"]))
        self.ops = [(o["macs"], o["weights"] + o["other_params"], steps(o))
                    for o in shown["op_list"] if o["macs"] or o["weights"]]
        macs = {}
        for o in shown["op_list"]:
            macs[o["kind"]] = macs.get(o["kind"], 0) + o["macs"]
        total = shown["macs"]
        outs = [o["out_elems"] for o in shown["op_list"]]
        self.features = [total, shown["parameters"], sum(outs), max(outs), shown["ops"],
                         macs.get("conv", 0) / total, macs.get("dwconv", 0) / total,
                         (macs.get("matmul", 0) + macs.get("fc", 0)) / total]

    def roofline(self, p):
        """Seconds of the units at their peak, of the weights from memory, and the larger of both
        op by op. Weights of a recurrence that the cores cannot hold come once a step."""
        rate, bandwidth, room = CLOCK_HZ * units(p), float(p["io_bandwidth"]), held_weights(p)
        compute = moved = both = 0.0
        for macs, weights, times in self.ops:
            busy = macs / rate
            fetch = weights * (times if weights > room else 1) / bandwidth
            compute, moved, both = compute + busy, moved + fetch, both + max(busy, fetch)
        return ["%.9g" % seconds for seconds in (compute, moved, both)]

    def cells(self, p):
        """Parameters, sizes, features of the network and roofline of one design."""
        return ([p[name] for name in PARAMETERS] + [units(p), sram_bytes(p)] +
                ["%.9g" % f for f in self.features] + self.roofline(p))


def steps(op):
    """How often one after the other the same weights are used on one row."""
    return op["count"] if op.get("m") == 1 and op["weights"] == op["n"] * op["k"] else 1


def held_weights(p):
    """Bytes of weights in all cores; half of a memory holds what is worked on."""
    return int(p["pes_x"]) * int(p["pes_y"]) * int(p["cores"]) * int(p["core_memory"]) // 2


def units(p):
    return int(p["pes_x"]) * int(p["pes_y"]) * int(p["cores"]) * int(p["simd_lanes"])


def sram_bytes(p):
    """Of the whole chip, accumulators apart."""
    core = int(p["core_memory"]) + int(p["activation_memory"]) + int(p["parameter_memory"])
    pe = int(p["pe_memory"]) + int(p["instruction_memory"]) + int(p["cores"]) * core
    return int(p["pes_x"]) * int(p["pes_y"]) * pe


def reason(row):
    return "; ".join(sorted({r["code"] for r in json.loads(row["reasons"] or "[]")}))


def row_of(network, source, row):
    return ([network.name, source] + network.cells(row) + [row["feasible"], reason(row)] +
            [row[m] for m in METRICS])


def header():
    return (["network", "source"] + KNOWN + ["feasible", "reason"] + METRICS)


def log(options, folder, name, place):
    """The rows of one network; each network has draws of its own."""
    network = Network(options.scantle, name)
    common = {"network": name, "area": options.area, "seed": options.seed + 1000 * place}
    short = plain_name(name)
    rows = []
    for source, objective, optimizer, n in (("random", "latency_s", "random", options.random),
                                            ("search", "area_mm2", "evolution", options.search)):
        if n == 0:
            continue
        study = dict(common, name="edge-%s-%s-%d" % (source, short, common["seed"]),
                     objective=objective, optimizer=optimizer, budget="{trials: %d}" % n)
        rows += [row_of(network, source, r)
                 for r in trials(options.scantle, options.db, options.threads, folder, study)]
    return rows


def without_best(rows, share):
    """Leave out the fastest feasible designs, that share of them."""
    feasible, latency = header().index("feasible"), header().index("latency_s")
    times = sorted(float(r[latency]) for r in rows if r[feasible] == "true")
    if share <= 0 or not times:
        return rows
    bound = times[min(len(times) - 1, int(share * len(times)))]
    return [r for r in rows if r[feasible] != "true" or float(r[latency]) >= bound]


def options_of(arguments):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("scantle")
    p.add_argument("networks", nargs="*", metavar="NETWORK", default=NETWORKS)
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--db", default="edge.db")
    p.add_argument("--random", type=int, default=700, help="random designs a network")
    p.add_argument("--search", type=int, default=300, help="designs of a search a network")
    p.add_argument("--area", default="29", help="limit, mm2; 29 is PRIME's for its small networks")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--best-share", type=float, default=0.0, help="of the feasible, left out")
    return p.parse_intermixed_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.networks:
            # the known ones keep their draws whichever of them are asked for
            place = NETWORKS.index(name) if name in NETWORKS else len(NETWORKS)
            found = log(options, folder, name, place)
            feasible = sum(r[header().index("feasible")] == "true" for r in found)
            print("%s: %d designs, %d feasible" % (name, len(found), feasible), file=sys.stderr)
            rows += without_best(found, options.best_share)
    with open(options.output + ".new", "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header())
        writer.writerows(rows)
    os.replace(options.output + ".new", options.output)


if __name__ == "__main__":
    main()
