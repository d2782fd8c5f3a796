"""Run a peer mapper and scantle's on the same problems and compare optima and times.

Run by bench/peer_mappers.sh in the peer's virtual environment. The files beside this one, in the
reference tool's dialect, are the only source of sizes, energies and bandwidths: the peer's
description is made from them, 1 of its joules being 1 pJ and 1 of its seconds one cycle.
docs/algorithms/mapper_peers.md says where the two models differ.
"""
import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import accelforge as af
from accelforge.mapper.FFM.main import map_workload_to_arch
from accelforge.model.main import evaluate_mapping
from ruamel.yaml import YAML

HERE = Path(__file__).resolve().parent
METRICS = {"energy": "ENERGY", "delay": "LATENCY", "edp": "ENERGY_DELAY_PRODUCT"}
WORD_BITS = 8
MOVES = {"A": "MK", "B": "KN", "Z": "MN"}  # dimensions that move a tensor
EYERISS = {
    "keep": {"InputScratchpad": ["A"], "WeightScratchpad": ["B"], "OutputScratchpad": ["Z"]},
    # reused along the axis, so that only the loop that does not move it may lie there
    "spatial": [("X", 14, "B"), ("Y", 12, "Z")],
    "used": 64,
}
# order: how the peer gets the scratchpads; it nests their tiles in that order
WIO = ["WeightScratchpad", "InputScratchpad", "OutputScratchpad"]
CASES = {
    "simple-128": {"arch": "simple.arch.yaml", "problem": "matmul_128.yaml"},
    "simple-512": {"arch": "simple.arch.yaml", "problem": "matmul_512.yaml"},
    "eyeriss-128": {"arch": "eyeriss.arch.yaml", "problem": "matmul_128.yaml", **EYERISS},
    "eyeriss-128-wio": {
        "arch": "eyeriss.arch.yaml",
        "problem": "matmul_128.yaml",
        "order": WIO,
        **EYERISS,
    },
    "eyeriss-512-wio": {
        "arch": "eyeriss.arch.yaml",
        "problem": "matmul_512.yaml",
        "order": WIO,
        **EYERISS,
    },
}


# minutes a run of the peer: only when asked for
SLOW = {
    "line256-512": {
        "arch": "line256.arch.yaml",
        "problem": "matmul_512.yaml",
        "spatial": [("X", 256, None)],
    },
}


def clock():
    """Wall and processor seconds; the latter of this process and of the children it waited for."""
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    spent = sum(usage.ru_utime + usage.ru_stime for usage in (own, children))
    return time.perf_counter(), spent


def since(start):
    return tuple(now - then for now, then in zip(clock(), start))


def median(times):
    return tuple(statistics.median(column) for column in zip(*times))


def read_yaml(path):
    with open(path, encoding="utf-8") as text:
        return YAML(typ="safe").load(text)


def read_levels(case):
    """Components outermost first: name, words (None: no limit), words a cycle, pJ by action."""
    document = read_yaml(HERE / case["arch"])
    tables = {
        table["name"].split(".")[-1]: {a["name"]: a["energy"] for a in table["actions"]}
        for table in document["ERT"]["tables"]
    }
    levels = []
    for component in document["architecture"]["subtree"][0]["local"]:
        name, attributes = component["name"].split("[")[0], component["attributes"]
        levels.append(
            {
                "name": name,
                "words": attributes.get("depth"),
                "bandwidth": attributes.get("shared_bandwidth"),
                "pj": tables[name],
                "copies": "[" in component["name"],
            }
        )
    return levels


def peer_memory(case, level, outermost, leak):
    bits_a_cycle = level["bandwidth"] * WORD_BITS if level["bandwidth"] else "inf"
    kept = case.get("keep", {}).get(level["name"])
    tensors = {"keep": "Nothing", "may_keep": "All"}
    if outermost:
        tensors = {"keep": "All"}
    elif kept:
        tensors = {"keep": " | ".join(kept)}
    actions = [
        {"name": name, "energy": level["pj"][name] / WORD_BITS, "throughput": bits_a_cycle}
        for name in ("read", "write")
    ]
    return af.arch.Memory(
        name=level["name"],
        size=level["words"] * WORD_BITS if level["words"] else "inf",
        leak_power=leak,
        area=0,
        tensors=tensors,
        actions=actions,
    )


def peer_nodes(case):
    """The architecture in the peer's form."""
    levels = read_levels(case)
    order = case.get("order", [])
    by_name = {level["name"]: level for level in levels}
    slots = [i for i, level in enumerate(levels) if level["name"] in order]
    for slot, name in zip(slots, order):
        levels[slot] = by_name[name]
    nodes, spread = [], False
    for i, level in enumerate(levels):
        leak = level["pj"].get("leak", 0)
        if level["copies"]:
            spatial = [
                {"name": axis, "fanout": fanout}
                | ({"reuse": tensor, "min_usage": 1} if tensor else {})
                for axis, fanout, tensor in case["spatial"]
            ]
            if not spread:
                nodes.append(af.arch.Container(name="PE", spatial=spatial))
            spread = True
            # the peer's unused copies leak too: see the architecture file
            pes = math.prod(axis["fanout"] for axis in spatial)
            leak *= case.get("used", pes) / pes
        if i < len(levels) - 1:
            nodes.append(peer_memory(case, level, i == 0, leak))
            continue
        compute = {"name": "compute", "energy": level["pj"]["compute"], "throughput": 1}
        nodes.append(
            af.arch.Compute(name=level["name"], leak_power=leak, area=0, actions=[compute])
        )
    return nodes


def peer_spec(case):
    shape = read_yaml(HERE / case["problem"])["problem"]
    accesses = []
    for space in shape["shape"]["data_spaces"]:
        ranks = [rank[0][0].lower() for rank in space["projection"]]
        access = {"name": space["name"], "projection": ranks}
        if space.get("read_write"):
            access["output"] = True
        accesses.append(access)
    sizes = {name.lower(): size for name, size in shape["instance"].items()}
    workload = {
        "iteration_space_shape": {d: f"0 <= {d} < {size}" for d, size in sizes.items()},
        "bits_per_value": {"All": WORD_BITS},
        "einsums": [{"name": "product", "tensor_accesses": accesses}],
    }
    return af.Spec(arch={"nodes": peer_nodes(case)}, workload=workload), sizes


def read_loops(nodes, sizes):
    """Held: (where, tensor, level name); loops: (dimension, factor, axis or None of time)."""
    holds, loops, extent = [], [], dict(sizes)
    for node in nodes:
        kind = type(node).__name__
        if kind == "Storage":
            holds += [(len(loops), str(t), node.component) for t in node.tensors]
        elif kind in ("Temporal", "Spatial"):
            rank, tile = str(node.rank_variable), int(node.tile_shape)
            axis = str(node.name) if kind == "Spatial" else None
            loops.append((rank.upper(), extent[rank] // tile, axis))
            extent[rank] = tile
    return holds, loops


def place_loops(holds, loops, names, spread):
    """Blocks of the levels, or None where a loop stands between two tiles of one level that both
    move with it. Of the tiles that move with a loop, it goes inside those above it and outside
    those below it."""
    blocks = [{"temporal": [], "X": [], "Y": []} for _ in names]
    previous = 0
    for at, (rank, factor, axis) in enumerate(loops):
        if axis:
            blocks[spread][axis].append((rank, factor))
            continue
        moved = [(p, names.index(level)) for p, tensor, level in holds if rank in MOVES[tensor]]
        inside = max((level for p, level in moved if p <= at), default=0)
        outside = min((level for p, level in moved if p > at), default=len(names))
        if inside >= outside:
            return None
        previous = max(inside, previous) if previous < outside else inside
        blocks[previous]["temporal"].append((rank, factor))
    return blocks


def block_directive(target, kind, parts):
    """parts: loops outermost first, of X and Y for a spatial block."""
    factor, order = dict.fromkeys("MKN", 1), []
    for rank, count in [loop for part in parts for loop in reversed(part)]:
        factor[rank] *= count
        order += [rank] if rank not in order else []
    order += [rank for rank in factor if rank not in order]
    directive = {
        "target": target,
        "type": kind,
        "factors": " ".join(f"{rank}={count}" for rank, count in factor.items()),
        "permutation": "".join(order),
    }
    if kind == "spatial":
        directive["split"] = len(parts[0])
    return directive


def loops_to_reference(nodes, case, sizes):
    """The peer's loop tree as a mapping of the reference tool, or None: see place_loops."""
    levels = read_levels(case)[:-1]
    names = [level["name"] for level in levels]
    spread = [level["copies"] for level in levels].index(True) - 1 if "spatial" in case else 0
    holds, loops = read_loops(nodes, sizes)
    blocks = place_loops(holds, loops, names, spread)
    if blocks is None:
        return None
    directives = []
    for name, block in zip(names, blocks):
        kept = sorted({tensor for _, tensor, level in holds if level == name})
        gone = [tensor for tensor in MOVES if tensor not in kept]
        directives.append(block_directive(name, "temporal", [block["temporal"]]))
        directives.append(block_directive(name, "spatial", [block["X"], block["Y"]]))
        directives.append({"target": name, "type": "bypass", "keep": kept, "bypass": gone})
    return {"mapping": directives}


def loops_as_text(nodes):
    words = []
    for node in nodes:
        kind = type(node).__name__
        if kind == "Storage":
            words.append(f"[{node.component}: {' '.join(map(str, node.tensors))}]")
        elif kind in ("Temporal", "Spatial"):
            mark = "" if kind == "Temporal" else "par "
            words.append(f"{mark}{node.rank_variable}/{node.tile_shape}")
    return " ".join(words)


def run_peer(case, goal, runs):
    times = []
    for _ in range(runs):
        spec, sizes = peer_spec(case)
        spec.mapper.metrics = getattr(af.mapper.Metrics, METRICS[goal])
        start = clock()
        found = map_workload_to_arch(spec, print_progress=False, eval_in_detail=False)
        times.append(since(start))
    nodes = found.data.iloc[0]["Total<SEP>mapping"](_for_model=True)
    spec.mapping = nodes
    spec.model.metrics = af.mapper.Metrics.all_metrics()
    scored = evaluate_mapping(spec).data.iloc[0]
    return {
        "energy_pj": float(scored["Total<SEP>energy"]),
        "cycles": float(scored["Total<SEP>latency"]),
        "times": times,
        "nodes": nodes.nodes,
        "sizes": sizes,
    }


def run_scantle(program, case, extra):
    command = [program, "map", "--timeloop", str(HERE / case["arch"]), str(HERE / case["problem"])]
    command += extra + ["--drain", "--links", "none", "--json", "--quiet"]
    start = clock()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = since(start)
    if not done.stdout.strip().startswith("{"):
        return None, seconds, done.stderr.strip().splitlines()[:1]
    return json.loads(done.stdout), seconds, []


def recount(program, case, peer):
    """The peer's mapping counted by scantle: its report, or None if it cannot be written there."""
    mapping = loops_to_reference(peer["nodes"], case, peer["sizes"])
    if mapping is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mapping.yaml")
        with open(path, "w", encoding="utf-8") as text:
            json.dump(mapping, text)
        report, _, why = run_scantle(program, case, [path])
    if report is None:
        sys.exit(f"scantle refuses the peer's mapping: {why}")
    return report if report["feasible"] else None


def value(goal, energy, cycles):
    return {"energy": energy, "delay": cycles, "edp": energy * cycles}[goal]


def compare(args, name, goal):
    case = (CASES | SLOW)[name]
    peer = run_peer(case, goal, args.runs)
    theirs = value(goal, peer["energy_pj"], peer["cycles"])
    peer_s = median(peer["times"])
    again = recount(args.scantle, case, peer)
    same = "not expressible"  # uneven, or a dimension on both axes
    if again:
        apart = [again[key] / peer[key] - 1 for key in ("energy_pj", "cycles")]
        same = f"{apart[0]:+.0e}, {apart[1]:+.0e}"
    own, times = None, []
    for _ in range(args.runs):
        own, seconds, why = run_scantle(args.scantle, case, ["--objective", goal])
        times.append(seconds)
        if own is None or not own.get("feasible", True):
            own = None
            break
    row = [name, goal, f"{theirs:.7g}", f"{peer_s[0]:.2f} {peer_s[1]:.2f}", same]
    if own is None:
        row += ["no result", "-", "-", "-"]
    else:
        ours = value(goal, own["energy_pj"], own["cycles"])
        own_s = median(times)
        row += [f"{ours:.7g}", f"{own_s[0]:.4f} {own_s[1]:.4f}"]
        proof = "" if own["optimal"] else f", gap {own['gap']:.1e}"
        row += [f"{ours / theirs - 1:+.1e}{proof}", f"{peer_s[1] / own_s[1]:.3g}"]
    print(" | ".join(row), flush=True)
    if args.loops:
        print("    " + loops_as_text(peer["nodes"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scantle", help="the program")
    every = list(CASES | SLOW)
    parser.add_argument("--case", action="append", choices=every, help="default: all but slow ones")
    parser.add_argument("--goal", action="append", choices=METRICS, help="default: all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes of the peer")
    parser.add_argument("--loops", action="store_true", help="print the peer's loops too")
    args = parser.parse_args()
    af.set_n_parallel_jobs(args.jobs)
    print(f"accelforge {version('accelforge')}; {args.runs} runs, {args.jobs} processes of it;")
    print("medians of wall and processor s: of scantle the whole process, of the peer the mapper")
    print("alone, without imports; the last column by processor time")
    columns = ["problem", "goal", "peer", "s", "its mapping here: energy, cycles"]
    print(" | ".join(columns + ["scantle", "s", "value", "times as fast"]))
    for name in args.case or CASES:
        for goal in args.goal or METRICS:
            compare(args, name, goal)


if __name__ == "__main__":
    main()
