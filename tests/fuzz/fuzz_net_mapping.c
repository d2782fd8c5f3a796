/* Any bytes as a mapping of one conv on one design: what is accepted is well formed, is written and
 * read back equal, and scores. As a file of many mappings: every op has its entry, or a fault is
 * recorded. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/net/map_result.h"
#include "model_support.h"

static void require(int condition)
{
    if (!condition)
        abort();
}

static int read_text(sc_mapping *m, sc_einsum *padded, const char *text, size_t n,
                     const sc_einsum *e, const sc_arch *a)
{
    sc_yaml *y = NULL;
    if (sc_yaml_parse(&y, "fuzz", text, n) != SC_OK)
        return 0;
    const int ok = sc_mapping_read(m, padded, sc_yaml_root(y), e, a);
    require(ok == (sc_yaml_status(y) == SC_OK));
    sc_yaml_close(y);
    return ok;
}

static void read_many(const char *text, size_t n, const sc_einsum *e, const sc_arch *a)
{
    static const sc_mapped_op ops[] = {{.name = "a"}, {.name = "b"}};
    const sc_node *entry[2];
    sc_mapping m;
    sc_einsum padded;
    sc_yaml *y = NULL;
    if (sc_yaml_parse(&y, "fuzz", text, n) != SC_OK)
        return;
    const int found = sc_mapping_entries(entry, sc_yaml_root(y), ops, 2, n % 2);
    const int whole = sc_yaml_status(y) == SC_OK;
    require(!whole || (found && entry[0] && entry[1]));
    for (int i = 0; found && i < 2; i++)
        if (entry[i] && sc_mapping_read_entry(&m, &padded, entry[i], e, a))
            require(m.n_levels == a->n_levels);
    sc_yaml_close(y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sc_einsum e = depthwise_einsum(6, 8, 8, 3, 3);
    const sc_arch a = array_arch(4, 8, 4096);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped scored = {0};
    sc_mapping again;
    sc_einsum padded;
    char *text = NULL;
    read_many((const char *)data, size, &e, &a);
    if (!read_text(&scored.mapping, &scored.padded, (const char *)data, size, &e, &a))
        return 0;
    require(sc_mapping_write(&text, &scored, &a, "op") == SC_OK);
    require(read_text(&again, &padded, text, strlen(text), &e, &a));
    require(memcmp(padded.bound, scored.padded.bound, sizeof padded.bound) == 0);
    sc_release(text);
    if (sc_map_score(&scored, &padded, &a, &again, &o) == SC_OK)
        require(scored.misfit.code != SC_FITS || scored.total_cycles > 0.0);
    return 0;
}
