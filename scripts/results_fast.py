#!/usr/bin/env python3
"""Runs the FAST studies and writes docs/results/fast.md and its plots.

Usage: scripts/results_fast.py SCANTLE [--trials N] [--seeds N] [--pooled-trials N] [--optimizer NAME] [--batch N] [--db FILE]
                               [--suite-trials N] [--suite-seeds N] [--ladder-trials N]
                               [--compare NAME,...] [--long-trials N] [--note TEXT] [--out FOLDER]
                               [NETWORK...]

Each network: the best designs of the `fast` space within the area and TDP of die-shrunk TPU-v3, for
throughput per watt of TDP, every part of the method on, once a seed; with --pooled-trials once
more, from the designs that the first searches found for all networks; beside them TPU-v3 as built
and die-shrunk, as it was scheduled in its day and with today's schedules. Then one design for a
suite of eight networks, and the ladder of ablations. Studies that stand in the database go on;
evaluations and what finished studies found stand in a file beside it, so that the same command
goes on where it stopped and computes nothing twice. Only the standard library is used.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import results_fast_page
import results_fast_plots

NETWORKS = ["efficientnet-b%d" % i for i in range(8)] + [
    "resnet50-v2", "bert-base:seq=128", "bert-base:seq=1024", "mobilenet-v2", "unet", "vit-b16",
    "llama2-7b:prefill=2048", "llama2-7b:decode,ctx=2048"]
SUITE = ["efficientnet-b0", "efficientnet-b4", "efficientnet-b7", "resnet50", "mobilenet-v2",
         "bert-base:seq=128", "bert-base:seq=1024", "vit-b16"]
LADDER = ["efficientnet-b0", "resnet50-v2", "bert-base:seq=1024"]
COMPARED = ["efficientnet-b0", "bert-base:seq=1024"]
LONG = "efficientnet-b7"
BUILT, SHRUNK = "tpu-v3", "tpu-v3-7nm"
BATCHES = [2**i for i in range(9)]
FEWER = BATCHES[::2]  # searches for mappings take their time
RULES = {
    "plain": ["--mapping-rule", "plain", "--padding", "off", "--softmax", "three"],
    "apart": [],
    "fast": ["--fusion", "on"],
    "whole": ["--fusion", "on", "--attention", "cascade", "--tiles", "on"],
}
STUDY = """version: 1
name: {name}
template: fast
networks: [{networks}]
aggregate: geomean
baseline: {baseline}
objectives: [perf_per_tdp]
limits:
  area_mm2: {{max: baseline}}
  tdp_w: {{max: baseline}}
rules: {{fusion: on, attention: cascade, tiles: on}}
baseline_rules: {{mapping: plain, padding: off, softmax: three, fusion: off, attention: apart, tiles: off}}
optimizer: {optimizer}
batch: {batch}
seed: 1
{warm}"""


def plain_name(network):
    return network.replace(":", "-").replace("=", "").replace(",", "-")


class Runner:
    """Runs the program, and keeps what it said under a key of what was asked."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.path = options.db + ".json"
        self.kept = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as kept:
                self.kept = json.load(kept)
        self.version = self.run(["evaluate", SHRUNK, "mobilenet-v3-small"])["model_version"]

    def run(self, arguments, codes=(0,)):
        done = subprocess.run([self.options.scantle] + arguments + ["--json", "-q", "-j",
                                                                    str(self.options.threads)],
                              capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            sys.exit("%s %s: exit code %d\n%s" % (self.options.scantle, " ".join(arguments),
                                                  done.returncode, done.stderr))
        return json.loads(done.stdout)

    def once(self, key, make):
        key = "|".join([self.version] + [str(part) for part in key])
        if key not in self.kept:
            self.kept[key] = make()
            with open(self.path + ".new", "w", encoding="utf-8") as out:
                json.dump(self.kept, out, indent=0)
            os.replace(self.path + ".new", self.path)
        return self.kept[key]

    def evaluate(self, design, network, rules):
        def make():
            return digest(self.run(["evaluate", design, network] + RULES[rules], codes=(0, 2)))
        return self.once(("evaluate", design, network, rules), make)

    def design(self, spec):
        def make():
            d = self.run(["design", "show", spec])
            outer = d["levels"][0]
            moved = outer["shared_bytes_per_cycle"] or outer["read_bytes_per_cycle"]
            return {"ridge": 2 * d["peak_macs_per_s"] / d["clock_hz"] / moved if moved else None,
                    **{key: d[key] for key in ("peak_macs_per_s", "tdp_w", "area_mm2", "tdp")}}
        return self.once(("design", spec), make)

    def climb(self, design, network):
        """Latencies of one design, rung by rung."""
        def make():
            rungs = self.run(["evaluate", design, network, "--ablate"], codes=(0, 2))["rungs"]
            return [[rung["rung"], rung["latency_s"]] for rung in rungs]
        return self.once(("climb", design, network), make)

    def study(self, name, networks, optimizer, pool=()):
        path = os.path.join(self.folder, name + ".yaml")
        with open(path, "w", encoding="utf-8") as out:
            out.write(STUDY.format(name=name, baseline=SHRUNK, optimizer=optimizer,
                                   batch=self.options.batch, warm=warm_start(pool),
                                   networks=", ".join('"%s"' % n for n in networks)))
        return path

    def search(self, networks, trials, seed, optimizer, name=None, pool=()):
        """The best of one study, what its baseline has, and what it cost."""
        options, name = self.options, name or plain_name(networks[0])

        def make():
            path = self.study(name + "-" + optimizer, networks, optimizer, pool)
            found = self.run(["search", path, "--db", options.db, "--seed", str(seed), "-n",
                              str(trials)], codes=(0, 2))
            best = found["best"]
            top = best["trials"][0] if best["trials"] else None
            note("%s, %s, seed %d: best trial %s of %d, %.0f s" % (
                name, optimizer, seed, top and top["index"], found["trials"], found["elapsed_s"]))
            return {"params": top and top["params"], "value": top and top["metrics"]["perf_per_tdp"],
                    "index": top and top["index"], "baseline": best["baseline"]["spec"],
                    "plain": best["baseline"]["values"]["perf_per_tdp"],
                    "trials": found["trials"], "feasible": found["feasible"],
                    "evaluated": found["evaluated"], "cached": found["cached"],
                    "elapsed_s": found["elapsed_s"]}
        found = self.once(("search", name, optimizer, options.batch, trials, seed, " ".join(networks)), make)
        return found

    def ladder(self, network, trials, seed, optimizer):
        """The best value of a search on each rung, over the baseline under plain rules."""
        def make():
            path = self.study(plain_name(network) + "-" + optimizer, [network], optimizer)
            found = self.run(["search", path, "--ablate", "--db", self.options.db, "--seed",
                              str(seed), "-n", str(trials)], codes=(0, 2))
            return [{key: rung[key] for key in ("rung", "about", "over_plain", "over_same")}
                    for rung in found["rungs"]]
        rungs = self.once(("ladder", network, optimizer, self.options.batch, trials, seed), make)
        note("%s, ladder: %s" % (network, " ".join("%.2f" % (r["over_plain"] or math.nan)
                                                    for r in rungs)))
        return rungs


def warm_start(pool):
    if not pool:
        return ""
    return "warm_start:\n" + "".join('  - "%s"\n' % point for point in pool)


def note(text):
    print(text, file=sys.stderr, flush=True)


def digest(e):
    """Of an evaluation what the page needs."""
    if not e["feasible"]:
        return {"feasible": False, "perf_per_tdp": math.nan}
    shares, depthwise = {}, 0.0
    for op in e["op_list"]:
        shares[op["bound"]] = shares.get(op["bound"], 0.0) + op["time_s"]
        depthwise += op["time_s"] if op["kind"] == "dwconv" else 0.0
    total = sum(shares.values())
    macs = sum(op["macs"] for op in e["op_list"])
    moved = sum(op["dram_bytes"] for op in e["op_list"])
    return {"feasible": True, "batch": e["batch"], "macs": macs, "dram_bytes": moved,
            "intensity": 2 * macs / moved if moved > 0 else None,
            "depthwise": depthwise / total,
            "bounds": sorted(((k, v / total) for k, v in shares.items()), key=lambda b: -b[1]),
            **{key: e[key] for key in ("latency_s", "throughput_per_s", "tdp_w", "area_mm2",
                                       "perf_per_tdp", "utilization", "power_w",
                                       "energy_per_sample_j")}}


def point_of(params):
    return ",".join("%s=%s" % item for item in params.items())


def spec_of(params):
    return "fast:" + point_of(params)


def baselines(runner, network):
    """Of each rule the best batch of the die-shrunk chip; as built it has the same cycles."""
    found = {}
    for rules in ("plain", "whole"):
        batches = BATCHES if rules == "plain" else sorted({found["plain"]["native_batch"], *FEWER})
        tried = {b: runner.evaluate("%s:native_batch=%d" % (SHRUNK, b), network, rules)
                 for b in batches}
        fit = [b for b in batches if tried[b]["feasible"]]
        best = max(fit, key=lambda b: tried[b]["perf_per_tdp"])
        found[rules] = dict(tried[best], native_batch=best)
        found["built " + rules] = runner.evaluate("%s:native_batch=%d" % (BUILT, best), network,
                                                  rules)
    return found


def first_round(runner, network):
    options = runner.options
    return [runner.search([network], options.trials, seed, options.optimizer)
            for seed in range(1, options.seeds + 1)]


def second_round(runner, network, networks):
    """One study more of each seed: it begins with what the first round found for every network."""
    options = runner.options
    if not options.pooled_trials:
        return []
    found = []
    for seed in range(1, options.seeds + 1):
        first = [runner.search([n], options.trials, seed, options.optimizer) for n in networks]
        pool = sorted({point_of(s["params"]) for s in first if s["params"]})
        name = "%s-pooled-%d-%d" % (plain_name(network), options.trials, len(networks))
        found.append(runner.search([network], options.pooled_trials, seed, options.optimizer, name,
                                   pool))
    return found


def better(one, other):
    return one if (one["value"] or 0.0) >= (other["value"] or 0.0) else other


def measure(runner, network, networks):
    studies = first_round(runner, network)
    pooled = second_round(runner, network, networks)
    if pooled:
        studies = [better(s, p) for s, p in zip(studies, pooled)]
    base = baselines(runner, network)
    plain = base["plain"]["perf_per_tdp"]
    tried = [(runner.evaluate(spec_of(s["params"]), network, "whole")["perf_per_tdp"] / plain, s)
             for s in studies if s["params"]]
    row = {"network": network, "base": base}
    if not tried:
        return row
    best = max(tried, key=lambda pair: pair[0])[1]
    spec = spec_of(best["params"])
    design = runner.design(spec)
    row.update(spec=spec, design=design, ridge=design["ridge"], params=best["params"],
               ratios=sorted(ratio for ratio, _ in tried),
               whole=runner.evaluate(spec, network, "whole"),
               apart=runner.evaluate(spec, network, "apart"),
               climb=runner.climb(spec, network),
               chip_climb=runner.climb("%s:native_batch=%d" % (SHRUNK, base["whole"]["native_batch"]),
                                       network))
    return row


def measure_suite(runner):
    options = runner.options
    studies = [runner.search(SUITE, options.suite_trials, seed, options.optimizer, "suite")
               for seed in range(1, options.suite_seeds + 1)]
    studies = [s for s in studies if s["params"]]
    if not studies:
        return None
    designs = []
    for s in studies:
        spec = spec_of(s["params"])
        rows = []
        for network in SUITE:
            base = baselines(runner, network)
            here = runner.evaluate(spec, network, "whole")
            rows.append({"network": network, "here": here,
                         "over_plain": here["perf_per_tdp"] / base["plain"]["perf_per_tdp"],
                         "over_whole": here["perf_per_tdp"] / base["whole"]["perf_per_tdp"],
                         "plain": base["plain"]})
        designs.append({"spec": spec, "params": s["params"], "rows": rows, "study": s,
                        "design": runner.design(spec)})
    designs.sort(key=lambda d: results_fast_page.geomean(r["over_plain"] for r in d["rows"]))
    return designs


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scantle")
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--trials", type=int, default=1000, help="of each network and seed")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pooled-trials", type=int, default=0,
                        help="of a second study that begins with the first ones' best designs for "
                        "all networks; 0: none")
    parser.add_argument("--suite-trials", type=int, default=1000, help="0: no suite")
    parser.add_argument("--suite-seeds", type=int, default=3)
    parser.add_argument("--ladder-trials", type=int, default=200, help="of each rung; 0: no ladder")
    parser.add_argument("--compare", default="", metavar="NAME,...",
                        help="optimisers to compare on two networks first")
    parser.add_argument("--long-trials", type=int, default=0,
                        help="of one long study of %s; 0: none" % LONG)
    parser.add_argument("--optimizer", default="gp")
    parser.add_argument("--batch", type=int, default=16, help="trials between two proposals")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--db", default="results-fast.db")
    parser.add_argument("--note", default="", help="a sentence for the head of the page")
    parser.add_argument("--out", default="docs/results")
    return parser.parse_intermixed_args()


def main():
    options = parse()
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        found = {"version": runner.version, "options": options, "suite": None, "long": None}
        found["chips"] = {name: runner.design(name) for name in (BUILT, SHRUNK)}
        found["compare"] = {
            (name, network): [runner.search([network], options.trials, seed, name)
                              for seed in range(1, options.seeds + 1)]
            for network in COMPARED for name in options.compare.split(",") if name}
        networks = options.networks or NETWORKS
        for seed in range(1, options.seeds + 1):  # a run that is stopped has some of every network
            for network in networks:
                runner.search([network], options.trials, seed, options.optimizer)
        found["rows"] = [measure(runner, n, networks) for n in networks]
        if options.suite_trials > 0:
            found["suite"] = measure_suite(runner)
        found["ladders"] = {n: runner.ladder(n, options.ladder_trials, 1, options.optimizer)
                            for n in LADDER if options.ladder_trials > 0
                            and n in networks}
        if options.long_trials > 0:
            found["long"] = runner.search([LONG], options.long_trials, 1, "nsga2")
    results_fast_page.write(found, options.out)
    results_fast_plots.write(found, options.out)


if __name__ == "__main__":
    main()
