#!/usr/bin/env bash
# A netlist of many macros for placers, on standard output, as text protobuf:
# bench/big_netlist.sh MACROS NETS SEED >big.pb.txt
# Hard macros of six sizes fill about half of a canvas of 100 um by the root of their number, as many
# soft macros a fifth of it, 64 ports stand around it. Nets of 2 to 6 pins, mostly of blocks whose
# numbers are near, as those of one unit are. The same seed gives the same text.
set -euo pipefail
awk -v macros="${1:?macros}" -v nets="${2:?nets}" -v seed="${3:?seed}" '
# Park and Miller, CACM 31(10), 1988: the same numbers in every awk.
function random() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function attr(key, value) { printf "  attr { key: \"%s\" value { %s } }\n", key, value }
function number(key, value) { attr(key, "f: " value) }
BEGIN {
    state = seed * 7919 + 1
    for (i = 0; i < 20; i++) random()
    side = 100 * sqrt(macros)
    blocks = 2 * macros
    for (n = 0; n < nets; n++) { # a driver, a pin of its own for each net, and its sinks
        driver = int(random() * blocks)
        more = 1 + int(5 * random() ^ 3)
        text = ""
        for (p = 0; p < more; p++) {
            reach = random() < 0.9 ? 20 : blocks
            to = (driver + 1 + int(random() * reach)) % blocks
            if (random() < 0.002)
                to = "p" int(random() * 64)
            else
                to = "b" to "/i" int(random() * 4)
            text = text "  input: \"" to "\"\n"
        }
        sinks[driver, ++n_nets[driver]] = text
    }
    for (i = 0; i < 64; i++) {
        at = (i + 0.5) / 64 * 4
        x = at < 1 ? at : at < 2 ? 1 : at < 3 ? 3 - at : 0
        y = at < 1 ? 0 : at < 2 ? at - 1 : at < 3 ? 1 : 4 - at
        printf "node {\n  name: \"p%d\"\n", i
        attr("type", "placeholder: \"PORT\"")
        number("x", x * side)
        number("y", y * side)
        print "}"
    }
    for (b = 0; b < blocks; b++) {
        hard = b % 2 == 0
        width = hard ? 45 + 15 * int(random() * 3) : 45
        height = hard ? 70 + 20 * int(random() * 2) : 45
        printf "node {\n  name: \"b%d\"\n", b
        attr("type", "placeholder: \"" (hard ? "MACRO" : "macro") "\"")
        number("width", width)
        number("height", height)
        print "}"
        for (d = 1; d <= n_nets[b]; d++) {
            printf "node {\n  name: \"b%d/o%d\"\n%s", b, d, sinks[b, d]
            pin(b, hard, width, height)
        }
        for (i = 0; i < 4; i++) {
            printf "node {\n  name: \"b%d/i%d\"\n", b, i
            pin(b, hard, width, height)
        }
    }
}
function pin(b, hard, width, height) {
    attr("type", "placeholder: \"" (hard ? "MACRO_PIN" : "macro_pin") "\"")
    attr("macro_name", "placeholder: \"b" b "\"")
    if (hard) {
        number("x_offset", (random() - 0.5) * width)
        number("y_offset", (random() - 0.5) * height)
    }
    print "}"
}'
