/* A space from YAML; what is accepted must hold its promises on a few points. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "fuzz.h"
#include "search/optimizer.h"
#include "search/space.h"

/* Holds in every build, other than assert(). */
static void must(bool holds)
{
    if (!holds)
        abort();
}

enum { POINTS = 8, MOST_POINTS = 1 << 17 };

/* The text of a canonical point reads back to it, and it stays itself. */
static void check_point(const sc_space *s, const uint32_t *point)
{
    const size_t bytes = sc_space_params(s) * sizeof *point;
    uint32_t other[SC_MAX_PARAMS];
    sc_buf b;

    must(sc_space_broken(s, point) == SIZE_MAX);
    memcpy(other, point, bytes);
    sc_space_canonical(s, other, NULL);
    must(memcmp(other, point, bytes) == 0);
    sc_space_origin(s, point, other);
    sc_buf_init(&b);
    sc_space_text(s, point, &b);
    const sc_status st = sc_space_parse(s, b.text, other);
    /* an inactive parameter may stand at a value that a restriction took away */
    must(st != SC_OK ||
         sc_hash_equal(sc_space_fingerprint(s, other), sc_space_fingerprint(s, point)));
    sc_buf_clear(&b);
}

static void use(const sc_space *s)
{
    uint32_t points[POINTS * SC_MAX_PARAMS];
    sc_optimizer *o = NULL;
    sc_problem problem;
    sc_space_size size;
    size_t got = 0;
    sc_stop why;

    (void)sc_space_hash(s);
    sc_space_size_of(s, &size);
    if (size.product > MOST_POINTS)
        return; /* where few points are valid a search walks millions: seconds under sanitizers */
    sc_space_problem(s, 1, &problem);
    if (sc_optimizer_create(&o, "random", &problem, 1, NULL) == SC_OK &&
        sc_optimizer_ask(o, POINTS, points, &got, &why) == SC_OK)
        for (size_t i = 0; i < got; i++)
            check_point(s, points + i * sc_space_params(s));
    sc_optimizer_destroy(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_yaml *y = NULL;
    sc_space *s = NULL;

    if (sc_yaml_parse(&y, "fuzz", (const char *)data, size) == SC_OK &&
        sc_space_from_yaml(&s, y) == SC_OK)
        use(s);
    sc_space_destroy(s);
    sc_yaml_close(y);
    must(sc_mem_live() == 0);
    return 0;
}
