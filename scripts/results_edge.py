#!/usr/bin/env python3
"""Learns from the edge data set, proposes designs, simulates the best few, writes a page.

Usage: scripts/results_edge.py SCANTLE [--db FILE] [--seeds N] [--online-trials N] [--stall N]
                               [--candidates N] [--rounds N] [-o PAGE] [NETWORK...]

For each network: the best design in its log (scripts/edge_log.py); the best that an online search
of as many simulations finds, and of ten times as many; and of the designs that a surrogate proposes
the best of the first ten, when it learned from this network's log, from the logs of all, or from
those of the others alone. What the log says of area, infeasible designs included, is learned too:
candidates whose area may pass the limit (upper end of the 90 % interval) are not proposed. Searches
stand in the database and go on. Only the standard library is used.
"""
import argparse
import csv
import io
import os
import random
import statistics
import sys
import tempfile

import edge_log
import edge_space

DESIGN = edge_log.PARAMETERS + edge_log.SIZES
KEPT, PROPOSED, VERIFIED = 300, 100, 10
LATENCY = ["--target", "latency_s", "--feasible", "feasible"]
ASIDE = ["source", "reason", "energy_j"]


class Bench:
    """One log, its models and what they propose."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.networks = {n: edge_log.Network(options.scantle, n) for n in options.networks}
        self.rows = {n: edge_log.log(options, folder, n, place_of(n)) for n in options.networks}
        self.area = self.learn("area", options.networks, 1, ["--target", "area_mm2"],
                               [c for c in edge_log.header() if c not in DESIGN + ["area_mm2"]])

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        return edge_log.run(self.options.scantle, list(arguments) + [
            "-q", "-j", str(self.options.threads)])

    def learn(self, name, networks, seed, target, ignore):
        """A model of the logs of some networks."""
        with open(self.path("log.csv"), "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(edge_log.header())
            for network in networks:
                writer.writerows(self.rows[network])
        model = self.path(name + ".model")
        self.run("train", "--csv", self.path("log.csv"), *target, "--ignore", ",".join(ignore),
                 "--seed", str(seed), "-o", model)
        return model

    def latency(self, networks, seed):
        """All of one network, or whole networks held out."""
        if len(networks) == 1:
            return self.learn("latency", networks, seed, LATENCY, ASIDE + ["area_mm2", "network"])
        return self.learn("latency", networks, seed, LATENCY + ["--group", "network"],
                          ASIDE + ["area_mm2"])

    def small_enough(self, network, points):
        """Those whose area the log promises."""
        path = self.path("candidates.csv")
        edge_space.write_candidates(path, network, points)
        said = csv.DictReader(io.StringIO(self.run("predict", "--model", self.area, "--csv", path)))
        return [p for p, row in zip(points, said)
                if float(row["upper"]) <= float(self.options.area)]

    def best(self, model, network, points, top):
        points = self.small_enough(network, list(points))
        path = self.path("candidates.csv")
        edge_space.write_candidates(path, network, points)
        said = self.run("propose", "--model", model, "--csv", path, "--top", str(top))
        return [edge_space.point_of(row) for row in csv.DictReader(io.StringIO(said))]

    def propose(self, model, name, seed):
        """An evolution against the model alone; the best last, none of them simulated."""
        rng, n = random.Random("%s %d" % (name, seed)), self.options.candidates
        network = self.networks[name]
        kept = self.best(model, network, dict.fromkeys(edge_space.drawn(rng) for _ in range(n)),
                         KEPT)
        for _ in range(self.options.rounds):
            points = dict.fromkeys(kept)
            for _ in range(n):
                parent = rng.choice(kept)
                if rng.random() < 0.3:
                    parent = edge_space.crossed(rng, parent, rng.choice(kept))
                points[edge_space.changed(rng, parent)] = None
            kept = self.best(model, network, points, KEPT)
        return kept[:PROPOSED]

    def simulate(self, name, points):
        """Seconds of each; None where infeasible."""
        study = {"name": "edge-proposed-" + edge_log.plain_name(name), "network": name,
                 "area": self.options.area, "objective": "latency_s", "optimizer": "list",
                 "seed": 1, "budget": "{}\npoints:\n" + "".join(
                     '  - "%s"\n' % edge_space.spec_of(p) for p in points)}
        rows = edge_log.trials(self.options.scantle, self.options.db, self.options.threads,
                               self.folder, study)
        found = {edge_space.point_of(r): seconds(r) for r in rows}
        return [found[p] for p in points]

    def online(self, name, seed):
        """Best seconds of a search after as many trials as the log has, after all, and the trials
        that were simulated."""
        o = self.options
        study = {"name": "edge-online-%s-%d" % (edge_log.plain_name(name), seed), "network": name,
                 "area": o.area, "objective": "latency_s", "optimizer": "portfolio", "seed": seed,
                 "budget": "{trials: %d, stall: %d}" % (o.online_trials, o.stall)}
        times = [seconds(r) for r in edge_log.trials(o.scantle, o.db, o.threads, self.folder, study)]
        whole = [t for t in times if t is not None]
        first = [t for t in times[:len(self.rows[name])] if t is not None]
        return min(first), min(whole), len(whole), len(times)


def place_of(name):
    return edge_log.NETWORKS.index(name) if name in edge_log.NETWORKS else len(edge_log.NETWORKS)


def seconds(row):
    return float(row["latency_s"]) if row["feasible"] == "true" else None


def judged(bench, model, name, seed):
    times = bench.simulate(name, bench.propose(model, name, seed))
    first = [t for t in times[:VERIFIED] if t is not None]
    return {"best": min(first) if first else float("inf"),
            "feasible": sum(t is not None for t in times) / len(times)}


def measure(bench, seeds):
    """Of each network and way of learning a list over seeds."""
    names = list(bench.networks)
    found = {(name, way): [] for name in names for way in ("single", "multi", "zero")}
    for seed in range(1, seeds + 1):
        model = bench.latency(names, seed)
        for name in names:
            found[name, "multi"].append(judged(bench, model, name, seed))
        for name in names:
            model = bench.latency([name], seed)
            found[name, "single"].append(judged(bench, model, name, seed))
            model = bench.latency([n for n in names if n != name], seed)
            found[name, "zero"].append(judged(bench, model, name, seed))
            print(name, seed, {w: found[name, w][-1] for w in ("single", "multi", "zero")},
                  file=sys.stderr, flush=True)
    return found


def median(found, name, way, key="best"):
    return statistics.median(f[key] for f in found[name, way])


def logged(bench, name):
    at = edge_log.header().index("latency_s")
    return min(float(r[at]) for r in bench.rows[name] if r[at])


def table(bench, found):
    out = ["| network | best in the log | search, as many | search, ten times | one network | all | zero-shot |",
           "|---|---|---|---|---|---|---|"]
    ratios, saved = {}, []
    for name in bench.networks:
        best = logged(bench, name)
        same, ten, simulated, _ = bench.online(name, 1)
        ways = {way: median(found, name, way) for way in ("single", "multi", "zero")}
        saved.append(1 - VERIFIED / simulated)
        for way, value in ways.items():
            ratios.setdefault(way, []).append((best / value, value / ten, value / ways["multi"]))
        out.append("| `%s` | %s |" % (name, " | ".join(
            "%.4g" % (1e3 * v) for v in (best, same, ten, *ways.values()))))
    return out, ratios, saved


def summary(found, ratios, saved):
    out = ["| learned from | times as fast as the best in the log | over ten times the search | over all networks' model | feasible of 100 |",
           "|---|---|---|---|---|"]
    for way, label in (("single", "one network"), ("multi", "all networks"),
                       ("zero", "the others alone")):
        share = min(f["feasible"] for key, fs in found.items() if key[1] == way for f in fs)
        out.append("| %s | %.2f | %.3f | %.3f | %.0f at the least |" % (
            (label,) + tuple(statistics.median(r[i] for r in ratios[way]) for i in range(3)) +
            (100 * share,)))
    out.append("\nMedians over networks. Simulations saved against the long search: %.1f %% at the least." %
               (100 * min(saved)))
    return out


def page(bench, found, options):
    rows, ratios, saved = table(bench, found)
    return "\n".join([
        "# The surrogate on the edge template", "",
        "Written by `scripts/results_edge.py SCANTLE --seeds %d --online-trials %d --stall %d "
        "--candidates %d --rounds %d %s`." % (
            options.seeds, options.online_trials, options.stall, options.candidates,
            options.rounds, " ".join(options.networks)), "",
        "Latency in ms under %s mm2; the log is docs/formats/edge_log.md's. Searches are `portfolio`, "
        "seed 1, ended early after %d trials without a better one; of the surrogates the best of "
        "the first %d proposals, median over seeds." % (options.area, options.stall, VERIFIED), ""] +
        rows + [""] + summary(found, ratios, saved)) + "\n"


def options_of(arguments):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("scantle")
    p.add_argument("networks", nargs="*", metavar="NETWORK", default=edge_log.NETWORKS)
    p.add_argument("-o", "--output", default="docs/results/edge.md")
    p.add_argument("--db", default="edge.db")
    p.add_argument("--area", default="29")
    p.add_argument("--seed", type=int, default=1, help="of the log")
    p.add_argument("--seeds", type=int, default=5, help="of learning and proposing")
    p.add_argument("--random", type=int, default=700)
    p.add_argument("--search", type=int, default=300)
    p.add_argument("--online-trials", type=int, default=10000)
    p.add_argument("--stall", type=int, default=2000)
    p.add_argument("--candidates", type=int, default=10000)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", type=int, default=0)
    return p.parse_intermixed_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        found = measure(bench, options.seeds)
        text = page(bench, found, options)
    with open(options.output + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(options.output + ".new", options.output)


if __name__ == "__main__":
    main()
