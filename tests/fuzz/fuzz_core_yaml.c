/* YAML: every node of an accepted text is walked and read in every way. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/yaml.h"

/* Aliases may stand for a million values; so many are read and the rest is left alone. */
static long left;

static void read_every_way(const sc_node *n, int depth)
{
    static const char *const names[] = {"a", "version", "shared"};
    double d;
    int64_t i;
    bool b;
    size_t c;
    if (depth > 64) /* the reader promises no more, aliases followed */
        abort();
    if (--left < 0)
        return;
    (void)sc_node_number(&d, n, (sc_unit)(depth % (SC_UNIT_METRE + 1)));
    (void)sc_node_integer(&i, n);
    (void)sc_node_bool(&b, n);
    (void)sc_node_choice(&c, n, names, 3);
    (void)sc_map_only(n, names, 3);
    (void)sc_map_version(n, 1);
    (void)sc_map_text_or(n, "a", "");
    sc_node_error_at(n, 3, "%s %s %d", sc_node_tag(n), sc_node_text(n), sc_node_is_null(n));
    sc_node_warning(n, "%d", sc_node_line(n));
    for (size_t k = 0; k < sc_node_count(n); k++) {
        if (sc_node_kind_of(n) == SC_NODE_MAP && !sc_node_get(n, sc_node_key(n, k)))
            abort();
        read_every_way(sc_node_item(n, k), depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_yaml *y = NULL;
    const sc_status st = sc_yaml_parse(&y, "fuzz.yaml", (const char *)data, size);
    if (st == SC_OK) {
        left = 20000;
        read_every_way(sc_yaml_root(y), 0);
        if (sc_yaml_status(y) != SC_EPARSE)
            abort();
        sc_yaml_close(y);
    } else if (st != SC_EPARSE && st != SC_ENOMEM) {
        abort();
    }
    return 0;
}
