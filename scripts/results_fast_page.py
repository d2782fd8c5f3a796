"""The page of results_fast.py: what the studies found, as Markdown."""
import math
import os
import statistics

PAPER = {"efficientnet-b%d" % i for i in range(8)} | {"resnet50-v2", "bert-base:seq=128",
                                                     "bert-base:seq=1024"}


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(heads, rows):
    return (["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
            + ["| " + " | ".join(row) + " |" for row in rows] + [""])


def spread(values, form="%.2f"):
    """Median [min, max]; one value alone."""
    values = sorted(values)
    middle = form % statistics.median(values)
    return middle if len(values) == 1 else (middle + " [%s, %s]" % (form, form)) % (
        values[0], values[-1])


def seeds_text(n):
    return "seed 1" if n == 1 else "seeds 1 to %d" % n


def bounds_text(e):
    return ", ".join("%s %.0f %%" % (name, 100 * share) for name, share in e["bounds"][:2])


def number(value, form="%.3g"):
    return "-" if value is None else form % value


def over(row, rules):
    """The best design over the baseline under some rules."""
    return row["whole"]["perf_per_tdp"] / row["base"][rules]["perf_per_tdp"]


def design_text(p):
    l1 = "/".join("%g" % (p["l1_" + t] / 1024) for t in ("input", "weight", "output"))
    l2 = "" if p["l2_mode"] == "disabled" else ", L2 %s x%s/%s/%s" % (
        p["l2_mode"], p["l2_input_mult"], p["l2_weight_mult"], p["l2_output_mult"])
    return ("%dx%d PEs of %dx%d, %d lanes a column, L1 %s %s KiB%s, L3 %g MiB, %d channels, "
            "batch %d") % (p["pes_x"], p["pes_y"], p["systolic_y"], p["systolic_x"],
                           p["vector_multiplier"], p["l1_mode"], l1, l2, p["l3_global"] / 2**20,
                           p["gddr6_channels"], p["native_batch"])


def command_of(o):
    parts = ["scripts/results_fast.py SCANTLE", "--trials %d" % o.trials, "--seeds %d" % o.seeds,
             "--optimizer %s --batch %d" % (o.optimizer, o.batch)]
    parts += ["--suite-trials %d --suite-seeds %d" % (o.suite_trials, o.suite_seeds),
              "--ladder-trials %d" % o.ladder_trials]
    parts += ["--pooled-trials %d" % o.pooled_trials] if o.pooled_trials else []
    parts += ["--compare " + o.compare] if o.compare else []
    parts += ["--long-trials %d" % o.long_trials] if o.long_trials else []
    return " ".join(parts + o.networks)


def pooled_text(options):
    if not options.pooled_trials:
        return ""
    return (" Then %d trials more in a study that begins with the designs found for all networks; "
            "the better of both counts." % options.pooled_trials)


def head(found):
    o = found["options"]
    return ["# FAST: one design a network, and one for a suite", "",
            "Written by `%s`;" % command_of(o),
            "model version %s. Objective: throughput per watt of TDP within the area and TDP of "
            "TPU-v3 shrunk to 7 nm;" % found["version"],
            "%d trials of `%s` a network and seed, %s.%s *Plain*: the old chip as it was "
            "scheduled in its day" % (o.trials, o.optimizer, seeds_text(o.seeds), pooled_text(o)),
            "(docs/algorithms/plain_mapping.md: fixed rule, no padding, three-pass softmax, no fusion). "
            "*Scheduled*: the old chip with our mapper, padding,",
            "softmax, fusion, attention as one step and ops in tiles: all that the new one has. Each at its best "
            "batch, of nine and of five or six. *As built*: TPU-v3 at 16 nm; its cycles are",
            "those of the shrunk chip, its TDP is not. Ratios are of throughput / TDP."
            + (" " + o.note if o.note else ""), "",
            "![Throughput per watt of TDP over die-shrunk TPU-v3](fast.svg)", ""]


def ratios(rows):
    lines = table(
        ["network", "over plain, shrunk: median [min, max] of seeds", "best over plain",
         "over scheduled", "as built: over plain", "over scheduled", "schedule alone"],
        [[r["network"], spread(r["ratios"]), "%.2f" % over(r, "plain"), "%.2f" % over(r, "whole"),
          "%.2f" % over(r, "built plain"), "%.2f" % over(r, "built whole"),
          "%.2f" % (r["base"]["whole"]["perf_per_tdp"] / r["base"]["plain"]["perf_per_tdp"])]
         for r in rows])
    paper = [r for r in rows if r["network"] in PAPER]
    if not paper:
        return lines
    middle = geomean(statistics.median(r["ratios"]) for r in paper)
    best = geomean(over(r, "plain") for r in paper)
    return lines + [
        "Geometric mean over the paper's networks that are here (%d): **%.2f** over plain (medians of "
        "seeds; best of seeds %.2f), %.2f over" % (
            len(paper), middle, best, geomean(over(r, "whole") for r in paper)),
        "scheduled; over the chip as built %.2f and %.2f. A better schedule alone gives the old chip %.2f. "
        "The aim is 3.7 over the die-shrunk chip," % (
            geomean(over(r, "built plain") for r in paper),
            geomean(over(r, "built whole") for r in paper),
            geomean(r["base"]["whole"]["perf_per_tdp"] / r["base"]["plain"]["perf_per_tdp"]
                    for r in paper)),
        "which the paper reports, with 1.8 of it from schedules on the same chip "
        "(doi:10.1145/3503222.3507767): medians are %.0f %% of it." % (100 * middle / 3.7), ""]


def figures(rows):
    lines = ["## The best designs", "",
             "Utilisation: of the MACs' peak, beside that of the plain shrunk chip. Ops a byte of main "
             "memory: each op apart, then fused. Bound: share of the time.", ""]
    lines += table(
        ["network", "perf, 1/s", "TDP, W", "area, mm2", "1/s/W", "util., old chip", "ops/byte: apart, fused",
         "bound by", "old chip bound by"],
        [[r["network"], "%.4g" % r["whole"]["throughput_per_s"], "%.1f" % r["whole"]["tdp_w"],
          "%.0f" % r["whole"]["area_mm2"], "%.4g" % r["whole"]["perf_per_tdp"],
          "%.1f %%, %.1f %%" % (100 * r["whole"]["utilization"],
                                100 * r["base"]["plain"]["utilization"]),
          "%s, %s" % (number(r["apart"]["intensity"]), number(r["whole"]["intensity"])),
          bounds_text(r["whole"]), bounds_text(r["base"]["plain"])] for r in rows])
    lines += ["![Ops a byte of main memory before and after fusion](fast-intensity.svg)", ""]
    return lines + table(["network", "design"], [[r["network"], design_text(r["params"])]
                                                 for r in rows])


def suite(found):
    designs = found["suite"]
    if not designs:
        return []
    best, o = designs[-1], found["options"]

    def means(key):
        return [geomean(row[key] for row in d["rows"]) for d in designs]
    worst = min(best["rows"], key=lambda row: row["over_plain"])
    lines = ["## One design for eight networks", "",
             "%d trials of `%s`, %s, by the geometric mean of throughput / TDP. Geometric mean of the "
             "ratios over plain: **%s** (median" % (o.suite_trials, o.optimizer,
                                                    seeds_text(o.suite_seeds),
                                                    spread(means("over_plain"))),
             "[min, max] of seeds; the aim is 2.4), over scheduled %s. Worst network of the best design: %s, "
             "%.2f. Each network is" % (spread(means("over_whole")), worst["network"],
                                        worst["over_plain"]),
             "held against the old chip at that network's own best batch; the one design has one batch.", "",
             "The best: %s; %.0f mm2, %.1f W." % (design_text(best["params"]),
                                                  best["design"]["area_mm2"],
                                                  best["design"]["tdp_w"]), ""]
    own = {r["network"]: r for r in found["rows"] if "spec" in r}
    return lines + table(
        ["network", "over plain", "over scheduled", "its own design", "util.", "bound by"],
        [[row["network"], "%.2f" % row["over_plain"], "%.2f" % row["over_whole"],
          "%.2f" % over(own[row["network"]], "plain") if row["network"] in own else "-",
          "%.1f %%" % (100 * row["here"]["utilization"]), bounds_text(row["here"])]
         for row in best["rows"]])


def ladder(found):
    lines = ["## The ladder of ablations", ""]
    rows = [r for r in found["rows"] if "spec" in r]
    if found["ladders"]:
        rungs = [rung["rung"] for rung in next(iter(found["ladders"].values()))]
        lines += ["Searched anew on each rung (`search --ablate`, %d trials, one seed): the best over the "
                  "plain shrunk chip. Each rung is a search by" % found["options"].ladder_trials,
                  "itself, so a later one may end below an earlier one by chance.", "",
                  "![The ladder](fast-ladder.svg)", ""]
        lines += table(["network"] + rungs,
                       [[n] + [number(rung["over_plain"], "%.2f") for rung in found["ladders"][n]]
                        for n in found["ladders"]])
    if not rows:
        return lines
    rungs = [rung for rung, _ in rows[0]["climb"]]

    def steps(climb):
        first = climb[0][1]
        return [number(first / latency if first and latency else None, "%.2f")
                for _, latency in climb]
    lines += ["One design up the ladder (`evaluate --ablate`): times as fast as on the first rung, the best "
              "design of each network and, behind it, the", "old chip at its best batch.", ""]
    return lines + table(["network"] + rungs,
                         [[r["network"]] + ["%s, %s" % pair for pair in zip(steps(r["climb"]),
                                                                            steps(r["chip_climb"]))]
                          for r in rows])


def peak_per_watt(design):
    return design["peak_macs_per_s"] / design["tdp_w"] / 1e9


def bandwidth_per_watt(design):
    return 2 * peak_per_watt(design) / design["ridge"]


def gb_per_memory_watt(design, memory):
    return 2 * design["peak_macs_per_s"] / design["ridge"] / design["tdp"][memory] / 1e9


def bytes_a_sample(e):
    return e["dram_bytes"] / (e["throughput_per_s"] * e["latency_s"])


def why(found):
    """Ratio = utilisation x peak / TDP: the two factors of each network, and their ceilings."""
    rows = [r for r in found["rows"] if "spec" in r]
    if not rows:
        return []
    chip = found["chips"]["tpu-v3-7nm"]
    tdp = chip["tdp"]
    core = (tdp["MAC"] + tdp["REG"]) / chip["tdp_w"]
    share = tdp["clock"] / (chip["tdp_w"] - tdp["clock"] - tdp["leakage"])
    lines = ["## Why the ratios are what they are", "",
             "Throughput / TDP is utilisation x (peak MACs a second / TDP) / MACs a sample, so a ratio has two "
             "factors: how much better the", "MACs are used, and how many of them a watt carries. Behind them: the most "
             "that the first could be, were all MACs busy; bandwidth of the", "main memory a watt of TDP and bytes of "
             "it a sample, which rule instead where it is the limit; and the share of the time in depthwise convolutions. "
             "All figures but", "the shares are in times the plain shrunk chip's.", ""]
    lines += table(
        ["network", "ratio", "= utilisation", "x peak/TDP", "most that utilisation could be",
         "bandwidth/TDP", "bytes a sample", "depthwise: old chip, new"],
        [[r["network"], "%.2f" % over(r, "plain"),
          "%.2f" % (r["whole"]["utilization"] / r["base"]["plain"]["utilization"]),
          "%.2f" % (peak_per_watt(r["design"]) / peak_per_watt(chip)),
          "%.2f" % (1 / r["base"]["plain"]["utilization"]),
          "%.2f" % (bandwidth_per_watt(r["design"]) / bandwidth_per_watt(chip)),
          "%.2f" % (bytes_a_sample(r["whole"]) / bytes_a_sample(r["base"]["plain"])),
          "%.0f %%, %.0f %%" % (100 * r["base"]["plain"]["depthwise"], 100 * r["whole"]["depthwise"])]
         for r in rows])
    lines += ["The shrunk chip carries %.0f GMAC/s a watt; the designs above carry %.0f to %.0f. Of its %.0f W, "
              "MACs and their registers are %.0f %%," % (
                  peak_per_watt(chip), min(peak_per_watt(r["design"]) for r in rows),
                  max(peak_per_watt(r["design"]) for r in rows), chip["tdp_w"], 100 * core),
              "main memory %.0f %%, vector memory %.0f %%, clock %.0f %%, leakage %.0f %%. A chip of MACs, registers "
              "and their clock alone would carry %.1f times" % (
                  100 * tdp["HBM"] / chip["tdp_w"], 100 * tdp["VMEM"] / chip["tdp_w"],
                  100 * tdp["clock"] / chip["tdp_w"], 100 * tdp["leakage"] / chip["tdp_w"],
                  1 / (core * (1 + share))),
              "as many MACs a watt: that is the second factor's ceiling for any design in these tables. Where the "
              "watts of the new designs go:", ""]
    return lines + watts(rows, chip) + remarks(rows, chip)


def watts(rows, chip):
    """Shares of the TDP by part, of the old chip and of the best designs."""
    def shares(design):
        parts = dict.fromkeys(("MAC and registers", "buffers", "main memory", "lanes",
                               "clock and leakage"), 0.0)
        for name, watt in design["tdp"].items():
            key = {"MAC": "MAC and registers", "REG": "MAC and registers", "HBM": "main memory",
                   "DRAM": "main memory", "vector": "lanes", "clock": "clock and leakage",
                   "leakage": "clock and leakage", "overhead": "clock and leakage"}.get(name,
                                                                                        "buffers")
            parts[key] += watt / design["tdp_w"]
        return parts
    lists = [("old chip", shares(chip))] + [(r["network"], shares(r["design"])) for r in rows]
    return table(["share of TDP, %"] + list(lists[0][1]),
                 [[name] + ["%.0f" % (100 * v) for v in parts.values()] for name, parts in lists])


def remarks(rows, chip):
    """What the tables say, in words: the text is fixed, its figures are not."""
    heavy = [r for r in rows if r["base"]["plain"]["depthwise"] >= 0.5]
    light = [r for r in rows if r["base"]["plain"]["depthwise"] < 0.5]
    full = [r for r in light if r["base"]["plain"]["utilization"] >= 0.4]
    lines = []
    if heavy and light:
        lines += ["- Networks that spend half of the old chip's time or more in depthwise convolutions (%d): "
                  "geometric mean %.2f; the others (%d): %.2f." % (
                      len(heavy), geomean(over(r, "plain") for r in heavy), len(light),
                      geomean(over(r, "plain") for r in light)),
                  "  A depthwise convolution fills one diagonal of a 128 x 128 array; smaller arrays, or more "
                  "of them, are where the new designs gain."]
    if heavy:
        low = min(heavy, key=lambda r: peak_per_watt(r["design"]))
        lines += ["  What they gain in utilisation they pay for in part: small arrays carry fewer MACs a watt "
                  "(%s: %.0f GMAC/s a watt), since every" % (low["network"],
                                                              peak_per_watt(low["design"])),
                  "  edge of an array reads and writes its buffer, and buffers, memory and clock are charged at "
                  "their peak."]
    if full:
        lines += ["- %s: %.0f %% or more of the old chip's MACs are busy as it is (%s). At most %.1f times is left "
                  "to a better schedule or shape;" % (
                      ", ".join(r["network"] for r in full),
                      100 * min(r["base"]["plain"]["utilization"] for r in full),
                      ", ".join("%.0f %%" % (100 * r["base"]["plain"]["utilization"]) for r in full),
                      max(1 / r["base"]["plain"]["utilization"] for r in full)),
                  "  only more MACs a watt could bring the rest: the second factor is %s for them." %
                  ", ".join("%.2f" % (peak_per_watt(r["design"]) / peak_per_watt(chip)) for r in full)]
    padded = [r for r in rows if r["network"] == "vit-b16" and
              r["base"]["whole"]["perf_per_tdp"] > 3 * r["base"]["plain"]["perf_per_tdp"]]
    if padded:
        lines += ["- On %s most of the ratio is the plain schedule's fault: without padding its 197 tokens, a prime, "
                  "divide onto nothing." % ", ".join(r["network"] for r in padded)]
    worse = [r for r in rows if over(r, "whole") < 1 and ":decode" in r["network"]]
    for r in worse:
        lines += ["- %s: the old chip, scheduled, is better. It has 32 GiB for a batch of %d; the new design, with room "
                  "for %d beside the weights, reads these" % (
                      r["network"], r["base"]["whole"]["native_batch"], r["params"]["native_batch"]),
                  "  for fewer tokens: 8 channels of GDDR6, 16 GiB, are the most that the space has."]
    bound = [r for r in rows if r["whole"]["bounds"][0][0] == "DRAM"]
    if bound:
        lines += ["- On %s main memory is what the new design waits for most. A watt of GDDR6 brings %s GB/s, one "
                  "of the old chip's HBM %.1f:" % (
                      ", ".join(r["network"] for r in bound),
                      ", ".join("%.1f" % gb_per_memory_watt(r["design"], "DRAM") for r in bound),
                      gb_per_memory_watt(chip, "HBM")),
                  "  only fewer bytes a sample, or less chip around the pins, can gain there."]
    return lines + [""] if lines else []


def search_cost(found):
    o, lines = found["options"], ["## The search itself", ""]
    if found["compare"]:
        lines += ["Optimisers at this budget, ratio over plain, median [min, max] of %d seeds after %d trials:" % (
            o.seeds, o.trials), ""]
        names = list(dict.fromkeys(name for name, _ in found["compare"]))
        nets = list(dict.fromkeys(net for _, net in found["compare"]))
        lines += table(["optimiser"] + nets,
                       [[name] + [spread(s["value"] / s["plain"] for s in found["compare"][name, net]
                                         if s["value"]) for net in nets] for name in names])
    if found["long"]:
        f = found["long"]
        lines += ["EfficientNet-B7, %d trials of `nsga2`, seed 1: %.2f over plain, found at trial %d; "
                  "%d of them feasible." % (f["trials"], f["value"] / f["plain"], f["index"],
                                            f["feasible"]), ""]
    return lines if len(lines) > 2 else []


def differences(found):
    o = found["options"]
    return ["## Where our setting differs from the paper's", "",
            "- Model, area and power of both chips are ours (docs/validation.md): the paper's baseline and its "
            "per-network figures are not public in full.",
            "- TDP charges every level at its peak: MACs, lanes, buffers and the main memory's pins at once "
            "(docs/algorithms/area_power.md), on both chips alike.",
            "- *Plain* is our reading of the day's compiler. Where more than one is possible it is the one that "
            "serves the old chip better.",
            "- The main memory of the space is GDDR6; the old chip's is HBM, which moves a bit for less energy.",
            "- Fusion keeps whole tensors in the global buffer, solved exactly (docs/algorithms/fusion.md); the "
            "paper's is an integer program stopped by time.",
            "  Attention as one step (docs/algorithms/cascade.md) and ops that follow one another tile by tile "
            "(docs/algorithms/fused_tiles.md)",
            "  are not in the paper: the rung `softmax` is its method. Both are on, for the scheduled old chip too.",
            "- %d trials a network and seed; the paper used 5,000 on a cluster."
            % (o.trials + o.pooled_trials),
            "- Each op keeps the mapping that is fastest alone; it is not mapped anew for what fusion keeps.",
            ""]


def write(found, folder):
    rows = [r for r in found["rows"] if "spec" in r]
    lines = head(found) + ratios(rows)
    for r in found["rows"]:
        if "spec" not in r:
            lines += ["%s: no feasible design." % r["network"], ""]
    lines += figures(rows) + suite(found) + ladder(found) + why(found)
    lines += search_cost(found) + differences(found)
    with open(os.path.join(folder, "fast.md"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines))
