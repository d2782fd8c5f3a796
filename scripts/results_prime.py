#!/usr/bin/env python3
"""Learns from recorded tables, proposes and forecasts what was held back, writes docs/results/prime.md.

Usage: scripts/results_prime.py SCANTLE [--data FOLDER] [--seeds N] [-o PAGE]

FOLDER: reference data (default ../shared/data). Everything goes through `train`, `predict` and
`propose` with their defaults; the figures are made here from what was held back. Only the standard
library is used.
"""
import argparse
import collections
import csv
import gzip
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

FOLDS = 5


def read(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as table:
        return list(csv.DictReader(table))


class Learner:
    """`train` with its defaults, and what its model says."""

    def __init__(self, scantle, folder):
        self.scantle, self.folder = scantle, folder
        self.model = os.path.join(folder, "model")

    def write(self, name, rows, columns):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return path

    def run(self, *arguments):
        done = subprocess.run([self.scantle, *arguments, "-q"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit("%s: %s" % (" ".join(arguments), done.stderr))
        return done.stdout

    def train(self, rows, columns, target, seed, *more):
        """columns: all that the log has beside the target."""
        log = self.write("log.csv", rows, columns + [target])
        return json.loads(self.run("train", "--csv", log, "--target", target, "-o", self.model,
                                   "--seed", str(seed), "--json", *more))

    def predict(self, rows, columns):
        table = self.write("held.csv", rows, columns)
        return list(csv.DictReader(self.run("predict", "--model", self.model, "--csv",
                                            table).splitlines()))

    def propose(self, rows, columns, top):
        table = self.write("candidates.csv", rows, columns)
        return list(csv.DictReader(self.run("propose", "--model", self.model, "--csv", table,
                                            "--top", str(top)).splitlines()))


# ---- figures ----

def tau(a, b):
    """Kendall's tau-b by its definition."""
    same = pairs_a = pairs_b = 0
    for i in range(len(a)):
        for k in range(i):
            x, y = (a[i] > a[k]) - (a[i] < a[k]), (b[i] > b[k]) - (b[i] < b[k])
            same += x * y
            pairs_a += x != 0
            pairs_b += y != 0
    return same / math.sqrt(pairs_a * pairs_b) if pairs_a and pairs_b else math.nan


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for k in range(at, end):
            out[order[k]] = (at + end - 1) / 2
        at = end
    return out


def spearman(a, b):
    return statistics.correlation(ranks(a), ranks(b))


def covered(said, truth):
    inside = [float(s["lower"]) <= t <= float(s["upper"]) for s, t in zip(said, truth)]
    return sum(inside) / len(inside)


def values(said):
    return [float(s["prediction"]) for s in said]


def middle(numbers, form="%.3f"):
    numbers = sorted(numbers)
    return (form + " [" + form + ", " + form + "]") % (statistics.median(numbers), numbers[0],
                                                       numbers[-1])


# ---- recorded tables ----

def fpga(learner, data, seeds):
    """2,000 designs of the grid logged, the best fifth of the valid ones hidden."""
    rows = read(os.path.join(data, "search/fpga_blackscholes_exhaustive.csv.gz"))
    columns = ["B", "OP", "IP", "x1873"]
    cycles = [math.log10(float(r["Cycles"])) for r in rows if r["Valid"] == "true"]
    low, high = min(cycles), max(cycles)
    by_point = {tuple(r[c] for c in columns): r for r in rows}
    regrets, valid, known, found = [], [], [], []
    for seed in range(1, seeds + 1):
        log = random.Random(seed).sample(rows, 2000)
        good = sorted(float(r["Cycles"]) for r in log if r["Valid"] == "true")
        cut = good[len(good) // 5]
        log = [dict(r, Cycles=r["Cycles"] if r["Valid"] == "true" else "") for r in log
               if r["Valid"] != "true" or float(r["Cycles"]) >= cut]
        report = learner.train(log, columns + ["Valid"], "Cycles", seed, "--feasible", "Valid")
        picked = [by_point[tuple(p[c] for c in columns)]
                  for p in learner.propose(rows, columns, 100)]
        best = [math.log10(float(r["Cycles"])) for r in picked if r["Valid"] == "true"]
        regrets.append((min(best) - low) / (high - low) if best else 1.0)
        known.append((math.log10(cut) - low) / (high - low))
        valid.append(len(best))
        found.append(report["auc"])
    return ["## FPGA grid: 2,000 logged designs, 100 proposals of 76,800", "",
            "| | median [least, most] of %d seeds | aim |" % seeds, "|---|---|---|",
            "| regret of the best valid proposal | %s | 0.08 |" % middle(regrets),
            "| regret of the best in the log | %s | |" % middle(known),
            "| valid proposals of 100 | %s | 98 |" % middle(valid, "%.0f"),
            "| AUC of feasibility, rows held out | %s | 0.98 |" % middle(found, "%.4f"), ""]


def best_mappings(data):
    best = {}
    for r in read(os.path.join(data, "mapping/points.csv.gz")):
        pair = r["arch_id"], r["layer"]
        if pair not in best or float(r["target.edp"]) < float(best[pair]["target.edp"]):
            best[pair] = r
    rows = list(best.values())
    return rows, [c for c in rows[0] if c.startswith(("arch.", "prob."))]


def mapping_beyond(learner, data, seeds):
    rows, columns = best_mappings(data)
    cut = sorted(float(r["target.edp"]) for r in rows)[2 * len(rows) // 5]
    worst = [r for r in rows if float(r["target.edp"]) >= cut]
    held = [r for r in rows if float(r["target.edp"]) < cut]
    truth = [float(r["target.edp"]) for r in held]
    taus, ways = [], collections.Counter()
    for seed in range(1, seeds + 1):
        ways[learner.train(worst, columns, "target.edp", seed)["recipe"]] += 1
        taus.append(tau(values(learner.predict(held, columns)), truth))
    return ["## Mapping table: learned from the worst 60 %, judged on the best 40 %", "",
            "EDP of the best mapping of each of %d architectures and layers. Kendall's tau: %s (aim 0.75; "
            "trees -0.05 to 0.14," % (len(rows), middle(taus)),
            "a network on squared errors 0.59, on pairs 0.65). Learned by: %s." %
            ", ".join("%s (%d)" % w for w in ways.items()), ""]


def grouped(rows, column, fold):
    names = sorted({r[column] for r in rows})
    random.Random(1).shuffle(names)
    held = set(names[fold::FOLDS])
    return [r for r in rows if r[column] not in held], [r for r in rows if r[column] in held]


def mapping_layers(learner, data):
    rows, columns = best_mappings(data)
    taus, regrets, inside = [], [], []
    for fold in range(FOLDS):
        log, held = grouped(rows, "layer", fold)
        learner.train(log, columns + ["layer"], "target.edp", 1, "--group", "layer")
        said = learner.predict(held, columns)
        truth = [float(r["target.edp"]) for r in held]
        inside.append(covered(said, truth))
        by_layer = collections.defaultdict(list)
        for r, p, t in zip(held, values(said), truth):
            by_layer[r["layer"]].append((p, t))
        for points in by_layer.values():
            taus.append(tau([p for p, _ in points], [t for _, t in points]))
            regrets.append(math.log10(min(points)[1] / min(t for _, t in points)))
    return ["## Mapping table: layers that were not learned from", "",
            "%d folds of whole layers, no analytic base. Mean of tau inside a layer %.3f (aim 0.80), median regret of the best "
            "forecast %.2f in log10 EDP" % (FOLDS, statistics.mean(taus), statistics.median(regrets)),
            "(aim 0.2), mean %.2f; 90 %% intervals hold %s of the rows (aim 85 to 95 %%)." % (
                statistics.mean(regrets), middle([100 * i for i in inside], "%.0f %%")), ""]


def factors(mapping):
    """`L3[WIO] K8 Q28 - L2[WI] N1 K4X`: the factor of each dimension at each level."""
    found = collections.defaultdict(lambda: 1)
    for level in mapping.split(" - "):
        name, *loops = level.split()
        for loop in loops:
            dim, factor, lane = re.match(r"([A-Z])(\d+)(X?)", loop).groups()
            found["%s.%s%s" % (name[:2], dim, lane)] *= int(factor)
    return found


def rtl(learner, data):
    rows = read(os.path.join(data, "rtl/random_mappings.csv.gz"))
    parts = [factors(r["mapping.mapping"]) for r in rows]
    columns = sorted({c for p in parts for c in p}) + [c for c in rows[0] if c.startswith("prob.")
                                                      and c != "prob.shape"]
    rows = [{**r, **{c: p[c] for c in columns if "." in c and c[0] == "L"}}
            for r, p in zip(rows, parts)]
    orders, errors, inside = [], [], []
    for fold in range(FOLDS):
        log, held = grouped(rows, "layer", fold)
        learner.train(log, columns + ["layer"], "rtl_cycles", 1, "--group", "layer", "--log",
                      ",".join(columns))
        said = learner.predict(held, columns)
        truth = [float(r["rtl_cycles"]) for r in held]
        orders.append(spearman(values(said), truth))
        errors += [abs(p / t - 1) for p, t in zip(values(said), truth)]
        inside.append(covered(said, truth))
    return ["## RTL cycles of random mappings, by layer", "",
            "%d folds of whole layers; features: the factor of each dimension at each level, the layer's sizes. Spearman %s "
            "(aim 0.97; ridge 0.907)," % (FOLDS, middle(orders)),
            "median error %.0f %% (aim 15 %%; ridge 50 %%); 90 %% intervals hold %s." % (
                100 * statistics.median(errors), middle([100 * i for i in inside], "%.0f %%")), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scantle")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("-o", "--output", default="docs/results/prime.md")
    options = parser.parse_args()
    page = ["# The surrogate on recorded tables", "",
            "Written by `scripts/results_prime.py SCANTLE --seeds %d`: `train`, `predict` and `propose` with their "
            "defaults" % options.seeds,
            "(docs/algorithms/recipe.md). Regret: how far the best valid proposal's log10 of the target is from the best of all "
            "valid designs, over their range.", ""]
    with tempfile.TemporaryDirectory() as folder:
        learner = Learner(options.scantle, folder)
        for section in (lambda: fpga(learner, options.data, options.seeds),
                        lambda: mapping_beyond(learner, options.data, options.seeds),
                        lambda: mapping_layers(learner, options.data),
                        lambda: rtl(learner, options.data)):
            page += section()
            print("\n".join(page[-8:]), file=sys.stderr, flush=True)
    with open(options.output, "w", encoding="utf-8") as out:
        out.write("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
