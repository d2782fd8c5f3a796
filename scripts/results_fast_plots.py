"""The plots of results_fast.py, as SVG: ratios with the range of seeds, the ladder, and ops a byte."""
import math
import os
import statistics

LEFT, WIDTH, RIGHT = 190, 440, 70
COLOURS = ["#2b5c8a", "#4a86b8", "#74abd2", "#a3c9e3", "#d9a441", "#b5541c"]


def text(x, y, words, size=12, anchor="start"):
    return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s">%s</text>' % (
        x, y, size, anchor, words)


def bar(x, y, long, height, colour):
    return '<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>' % (x, y, max(long, 0.0),
                                                                             height, colour)


def line(x1, y1, x2, y2, colour="black", width=1):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>' % (
        x1, y1, x2, y2, colour, width)


def save(path, height, title, parts, more=""):
    head = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
            'font-family="sans-serif" font-size="12">' % (LEFT + WIDTH + RIGHT, height),
            '<rect width="100%" height="100%" fill="white"/>', text(10, 18, title)]
    if more:
        head.append(text(10, 34, more, 11))
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(head + parts + ["</svg>", ""]))


def plot_ratios(rows, path):
    """Median of the seeds as a bar, their range as a line; below it the best over the scheduled chip."""
    top = max([r["ratios"][-1] for r in rows] + [4.0])
    parts, step = [], 30

    def at(value):
        return LEFT + WIDTH * value / top
    bottom = 44 + step * len(rows)
    for mark, name in ((1.0, "1"), (3.7, "3.7, the paper's mean")):
        parts += [line(at(mark), 40, at(mark), bottom, "#999999"),
                  text(at(mark), bottom + 14, name, 10, "middle")]
    for i, r in enumerate(rows):
        y = 44 + step * i
        middle = statistics.median(r["ratios"])
        scheduled = r["whole"]["perf_per_tdp"] / r["base"]["whole"]["perf_per_tdp"]
        parts += [text(LEFT - 8, y + 14, r["network"], 12, "end"),
                  bar(LEFT, y, WIDTH * middle / top, 10, COLOURS[0]),
                  line(at(r["ratios"][0]), y + 5, at(r["ratios"][-1]), y + 5, COLOURS[5], 2),
                  text(at(r["ratios"][-1]) + 4, y + 9, "%.2f" % middle, 10),
                  bar(LEFT, y + 12, WIDTH * scheduled / top, 8, COLOURS[3]),
                  text(at(scheduled) + 4, y + 20, "%.2f" % scheduled, 9)]
    save(path, bottom + 24, "Throughput per watt of TDP over die-shrunk TPU-v3", parts,
         "dark: over it as scheduled in its day, median of seeds, the line their range; light: over it "
         "as scheduled today")


def plot_ladder(ladders, path):
    top = max([r["over_plain"] or 0.0 for rungs in ladders.values() for r in rungs] + [1.0])
    parts, y = [], 34
    for network, rungs in ladders.items():
        parts.append(text(10, y + 12, network))
        for i, rung in enumerate(rungs):
            value = rung["over_plain"] or 0.0
            parts += [text(LEFT - 8, y + 10, rung["rung"], 10, "end"),
                      bar(LEFT, y, WIDTH * value / top, 11, COLOURS[i % len(COLOURS)]),
                      text(LEFT + WIDTH * value / top + 4, y + 10, "%.2f" % value, 10)]
            y += 14
        y += 12
    save(path, y + 6, "Throughput per watt of TDP over the plain die-shrunk TPU-v3, rung by rung", parts)


def plot_intensity(rows, path):
    """Ops a byte before and after fusion on a log axis, and where each chip's roof bends."""
    points = [v for r in rows for v in (r["apart"]["intensity"], r["whole"]["intensity"]) if v]
    low, high = 10 ** math.floor(math.log10(min(points))), 10 ** math.ceil(math.log10(max(points)))
    scale = WIDTH / math.log(high / low)

    def at(value):
        return LEFT + scale * math.log(min(max(value, low), high) / low)
    parts, step = [], 24
    bottom = 44 + step * len(rows)
    mark = low
    while mark <= high:
        parts += [line(at(mark), 40, at(mark), bottom, "#cccccc"),
                  text(at(mark), bottom + 14, "%g" % mark, 10, "middle")]
        mark *= 10
    for i, r in enumerate(rows):
        y = 44 + step * i + 10
        before, after = r["apart"]["intensity"], r["whole"]["intensity"] or high
        parts += [text(LEFT - 8, y + 4, r["network"], 12, "end"),
                  line(at(before), y, at(after), y, COLOURS[2], 2),
                  '<circle cx="%.1f" cy="%d" r="4" fill="white" stroke="%s"/>' % (
                      at(before), y, COLOURS[0]),
                  '<circle cx="%.1f" cy="%d" r="4" fill="%s"/>' % (at(after), y, COLOURS[0])]
        if r["ridge"]:
            parts.append(line(at(r["ridge"]), y - 8, at(r["ridge"]), y + 8, COLOURS[5], 2))
    save(path, bottom + 24, "Ops a byte of main memory", parts,
         "open: each op apart; full: fused; bar across: where the design's roof bends, peak ops over "
         "bandwidth")


def write(found, folder):
    rows = [r for r in found["rows"] if "spec" in r]
    if rows:
        plot_ratios(rows, os.path.join(folder, "fast.svg"))
        plot_intensity(rows, os.path.join(folder, "fast-intensity.svg"))
    if found["ladders"]:
        plot_ladder(found["ladders"], os.path.join(folder, "fast-ladder.svg"))
