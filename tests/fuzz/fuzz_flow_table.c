/* A recorded table of any content behind a fixed study, and with any separator: it is refused, or
 * every row is found again under its own parameters and the true front is known. */
#define _GNU_SOURCE /* memfd_create: a file without a name, so that nothing is left behind */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/mem.h"
#include "flow/study.h"
#include "flow/table.h"

static const char form[] =
    "version: 1\nname: fuzz\nevaluator:\n"
    "  table: /proc/self/fd/%d\n  separator: %s\n"
    "  parameters: [a, {name: bc, columns: [b, c], within: a}, {column: d, kind: categorical}]\n"
    "  failed: {e: [bad, '']}\n  infeasible: \"c == 'no' || f > 9\"\n  violation: f - g\n"
    "  missing: excluded\n  values: {h: log10(f) / g}\n"
    "objectives: [{metric: h, goal: max}, {metric: g, goal: min}]\n";
static const char *const separators[] = {"comma", "tab", "semicolon", "blanks"};

static void look_up_all(const sc_study *s)
{
    const sc_table *t = s->table;
    uint32_t origin[SC_MAX_PARAMS];
    double values[SC_STORE_MAX_VALUES], ref[SC_MAX_OBJECTIVES], volume;
    sc_row row = {.values = values};
    size_t front;
    for (size_t i = 0; i < sc_table_rows(t); i++) {
        sc_table_origin(t, i, origin);
        if (sc_table_find(t, origin) != i)
            abort();
        sc_table_evaluate(&row, s, origin); /* nothing is restricted: the indices are the same */
        if (row.state == SC_STATE_FEASIBLE && !(row.values[0] == row.values[0]))
            abort();
    }
    const sc_status st = sc_table_front(ref, &volume, &front, s);
    if (st == SC_OK && (front == 0 || volume < 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    char text[1024];
    sc_study *s = NULL;
    if (fd < 0)
        fd = memfd_create("table", 0);
    if (fd < 0 || size == 0 || ftruncate(fd, 0) != 0 ||
        pwrite(fd, data + 1, size - 1, 0) != (ssize_t)(size - 1))
        return 0;
    const int n = snprintf(text, sizeof text, form, fd, separators[data[0] % 4]);
    if (sc_study_parse(&s, "fuzz.yaml", text, (size_t)n) == SC_OK)
        look_up_all(s);
    sc_study_close(s);
    return 0;
}
