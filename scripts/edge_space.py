"""Designs of the `edge` template as points: drawn, changed a little, written as candidates."""
import csv

import edge_log

VALUES = {
    "pes_x": [1, 2, 4, 6, 8, 10, 12, 14, 16, 32],
    "pes_y": [1, 2, 4, 6, 8, 10, 12, 14, 16, 32],
    "simd_lanes": [2**i for i in range(2, 9)],
    "cores": [1, 2, 4, 6, 8, 10, 12, 14, 16, 32],
    "pe_memory": [2**i for i in range(18, 25)],
    "core_memory": [2**i for i in range(12, 23)],
    "activation_memory": [2**i for i in range(8, 15)],
    "instruction_memory": [2**i for i in range(13, 17)],
    "parameter_memory": [2**i for i in range(11, 16)],
    "io_bandwidth": [5 * 10**9, 10 * 10**9, 16 * 10**9, 20 * 10**9, 25 * 10**9, 30 * 10**9],
}


def drawn(rng):
    return tuple(rng.choice(VALUES[name]) for name in edge_log.PARAMETERS)


def changed(rng, point):
    """One to three parameters of a point at other values, neighbours as often as any."""
    out = list(point)
    for i in rng.sample(range(len(out)), rng.choice((1, 1, 2, 3))):
        values = VALUES[edge_log.PARAMETERS[i]]
        at = values.index(out[i])
        if rng.random() < 0.5:
            at = max(0, min(len(values) - 1, at + rng.choice((-1, 1))))
            out[i] = values[at]
        else:
            out[i] = rng.choice(values)
    return tuple(out)


def crossed(rng, a, b):
    return tuple(rng.choice(pair) for pair in zip(a, b))


def write_candidates(path, network, points):
    """CSV as the log's, without what only a simulation says."""
    roofs = {}
    features = ["%.9g" % f for f in network.features]
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(edge_log.KNOWN)
        for point in points:
            p = dict(zip(edge_log.PARAMETERS, point))
            units = edge_log.units(p)
            key = (units, p["io_bandwidth"], edge_log.held_weights(p))
            if key not in roofs:
                roofs[key] = network.roofline(p)
            writer.writerow(list(point) + [units, edge_log.sram_bytes(p)] + features + roofs[key])


def point_of(row):
    return tuple(int(float(row[name])) for name in edge_log.PARAMETERS)


def spec_of(point):
    return ",".join("%s=%s" % item for item in zip(edge_log.PARAMETERS, point))
