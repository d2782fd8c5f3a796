#!/usr/bin/env python3
"""Drives a study whose figures come from outside: asks for points, evaluates them side by side, tells
what came out. Usage: ask_tell.py STUDY.yaml DATABASE. $SCANTLE names the program.

The evaluator here is the closed form of a systolic array's cycles (docs/algorithms/systolic.md); put
yours into simulate(). Interrupted at any place, the same command goes on, with the points that were
asked for and never told first.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SCANTLE = os.environ.get("SCANTLE", "scantle")
BATCH = 16

# (M, N, K) of each matrix product of a BERT-base layer over 128 tokens
PRODUCTS = [(128, 768, 768)] * 4 + [(128, 3072, 768), (128, 768, 3072)]


class Infeasible(Exception):
    """The design cannot be built or run; the text says why."""


def cycles_of(rows, cols, dataflow, m, n, k):
    """Cycles of one product; weights and inputs that stay are loaded first, rows cycles each time."""
    down, across, time = {"os": (m, n, k), "ws": (k, n, m), "is": (k, m, n)}[dataflow]
    folds = -(-down // rows) * -(-across // cols)
    return folds * (time + (1 if dataflow == "os" else 2) * rows + cols - 2)


def simulate(rows, cols, dataflow):
    """Figures of one design: every objective and limited metric of the study."""
    if rows > 16 * cols or cols > 16 * rows:
        raise Infeasible("longer than 16 times its width")
    cycles = sum(cycles_of(rows, cols, dataflow, *product) for product in PRODUCTS)
    work = sum(m * n * k for m, n, k in PRODUCTS)
    return {"cycles": cycles, "macs": rows * cols, "utilization": work / (cycles * rows * cols)}


def evaluate(point):
    """One point as ask gives it, in; one result as tell takes it, out."""
    try:
        return {"id": point["id"], "metrics": simulate(**point["params"])}
    except Infeasible as why:
        return {"id": point["id"], "infeasible": str(why)}
    except Exception as why:  # a crash is not the design's fault: told, and the study goes on
        return {"id": point["id"], "failed": repr(why)}


def scantle(command, study, database, *options, told=None):
    """Run one command of the program and read its JSON. It says itself what is wrong."""
    line = [SCANTLE, command, study, *options, "--db", database, "--json"]
    text = None if told is None else json.dumps(told)
    run = subprocess.run(line, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def main(study, database):
    with ThreadPoolExecutor() as pool:
        points = scantle("ask", study, database, "--waiting")
        points = points or scantle("ask", study, database, "-n", str(BATCH))
        while points:
            scantle("tell", study, database, told=list(pool.map(evaluate, points)))
            points = scantle("ask", study, database, "-n", str(BATCH))
    for trial in scantle("pareto", study, database)["trials"]:
        print(trial["id"], trial["params"], trial["metrics"])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], sys.argv[2])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
