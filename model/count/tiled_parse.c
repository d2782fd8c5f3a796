/* Mappings as one line of text. */
#include <string.h>

#include "model/count/tiled_run.h"

static const char letters[] = "KCPQRS";
static const uint64_t max_extent = (uint64_t)1 << 31;

typedef struct reader {
    const char *text, *at;
    sc_tiled_layer layer;
    unsigned level;
} reader;

static sc_status wrong(const reader *r, const char *what)
{
    return sc_fail(SC_EINVAL, "mapping, character %zu: %s", (size_t)(r->at - r->text) + 1, what);
}

/* A whole number of at most 2^31. */
static sc_status read_factor(uint64_t *out, reader *r)
{
    uint64_t v = 0;
    if (*r->at < '0' || *r->at > '9')
        return wrong(r, "a factor is missing");
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        if ((v = 10 * v + (uint64_t)(*r->at - '0')) > max_extent)
            return wrong(r, "a factor over 2^31");
    if (v == 0)
        return wrong(r, "a factor of 0");
    *out = v;
    return SC_OK;
}

static sc_status grow(uint64_t *product, uint64_t factor, const reader *r)
{
    if (*product > max_extent / factor)
        return wrong(r, "the factors of a dimension multiply to more than 2^31");
    *product *= factor;
    return SC_OK;
}

static sc_status add_loop(reader *r, unsigned dim, uint64_t factor, bool spatial)
{
    sc_tiled_layer *l = &r->layer;
    if (spatial || r->level > 0) {
        const sc_status st = grow(&l->tile[dim], factor, r);
        return st != SC_OK || !spatial ? st : grow(&l->spatial[dim], factor, r);
    }
    if (l->n_outer == SC_TILED_LOOPS)
        return wrong(r, "more than 16 loops over tiles");
    l->outer_dim[l->n_outer] = (uint8_t)dim;
    l->outer[l->n_outer++] = factor;
    return SC_OK;
}

/* One loop: letter, factor, X or Y. */
static sc_status read_loop(reader *r)
{
    const char letter = *r->at;
    const char *found = letter ? strchr(letters, letter) : NULL;
    uint64_t factor = 0;
    if (!found && letter != 'N')
        return wrong(r, "a loop begins with one of K C P Q R S N");
    r->at++;
    const sc_status st = read_factor(&factor, r);
    if (st != SC_OK)
        return st;
    const bool spatial = *r->at == 'X' || *r->at == 'Y';
    r->at += spatial;
    if (*r->at != ' ' && *r->at != '\0')
        return wrong(r, "a loop is a letter, a factor and maybe X or Y");
    if (!found)
        return factor == 1 ? SC_OK : wrong(r, "only N of factor 1 is known");
    return add_loop(r, (unsigned)(found - letters), factor, spatial);
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* A level: its name, then loops up to the dash. */
static sc_status read_level(reader *r)
{
    const size_t name = strcspn(r->at, " ");
    sc_status st = SC_OK;
    if (name == 0 || strchr(letters, *r->at) || *r->at == '-')
        return wrong(r, "a level begins with its name");
    r->at += name;
    skip_blanks(r);
    while (st == SC_OK && *r->at && *r->at != '-') {
        st = read_loop(r);
        skip_blanks(r);
    }
    return st;
}

static sc_status check_cover(const reader *r)
{
    uint64_t covered[SC_TILED_DIMS];
    memcpy(covered, r->layer.tile, sizeof covered);
    for (unsigned i = 0; i < r->layer.n_outer; i++) {
        const sc_status st = grow(&covered[r->layer.outer_dim[i]], r->layer.outer[i], r);
        if (st != SC_OK)
            return st;
    }
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        if (covered[d] < r->layer.extent[d])
            return sc_fail(SC_EINVAL, "mapping: covers %c only to %llu of %llu", letters[d],
                           (unsigned long long)covered[d], (unsigned long long)r->layer.extent[d]);
    return SC_OK;
}

sc_status sc_tiled_parse(sc_tiled_layer *layer, const char *text)
{
    reader r = {.text = text, .at = text, .layer = *layer};
    sc_status st = SC_OK;

    r.layer.n_outer = 0;
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        r.layer.tile[d] = r.layer.spatial[d] = 1;
    for (;; r.level++) {
        skip_blanks(&r);
        if ((st = read_level(&r)) != SC_OK || *r.at != '-')
            break;
        r.at++;
    }
    if (st == SC_OK)
        st = check_cover(&r);
    if (st == SC_OK)
        *layer = r.layer;
    return st;
}
