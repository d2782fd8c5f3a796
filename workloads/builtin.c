#include "workloads/builtin.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

enum { MOST_KEYS = SC_NET_OPTIONS + 2, TOKEN_LEN = 64 };

const sc_generator *sc_builtin(size_t i)
{
    static const sc_generator *const families[] = {
        sc_net_efficientnets, sc_net_resnets,  sc_net_mobilenets, sc_net_transformers, sc_net_llms,
        sc_net_unets,         sc_net_alexnets, sc_net_detectors,  sc_net_recurrents,   sc_net_vggs,
    };
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const sc_generator *g = families[f]; g->name; g++)
            if (i-- == 0)
                return g;
    return NULL;
}

const sc_generator *sc_builtin_find(const char *text, size_t n)
{
    const sc_generator *g;
    for (size_t i = 0; (g = sc_builtin(i)) != NULL; i++)
        if (strncmp(g->name, text, n) == 0 && g->name[n] == '\0')
            return g;
    return NULL;
}

const char *sc_workload_builtin(size_t i)
{
    const sc_generator *g = sc_builtin(i);
    return g ? g->name : NULL;
}

const char *sc_workload_builtin_about(size_t i)
{
    const sc_generator *g = sc_builtin(i);
    return g ? g->about : NULL;
}

/** Options while they are read. */
typedef struct reading {
    const sc_generator *g; /* NULL for a file */
    sc_common_options common;
    uint64_t value[SC_NET_OPTIONS];
    bool given[SC_NET_OPTIONS];
    const char *owner; /* whose options these are, for messages */
} reading;

static sc_status read_count(uint64_t *out, const reading *r, const char *key, const char *text,
                            uint64_t least, uint64_t most)
{
    int64_t v;
    if (sc_integer_read(&v, text) != SC_OK || v < 0 || (uint64_t)v < least || (uint64_t)v > most)
        return sc_fail(SC_EINVAL,
                       "%s: option '%s' is '%s', must be a whole number from %" PRIu64
                       " to %" PRIu64,
                       r->owner, key, text, least, most);
    *out = (uint64_t)v;
    return SC_OK;
}

static sc_status read_bits(reading *r, const char *text)
{
    uint64_t bits = 0;
    const sc_status st = read_count(&bits, r, "bits", text, 8, 32);
    if (st != SC_OK)
        return st;
    if (bits != 8 && bits != 16 && bits != 32)
        return sc_fail(SC_EINVAL, "%s: option 'bits' is %s, must be 8, 16 or 32", r->owner, text);
    r->common.bits = (uint32_t)bits;
    return SC_OK;
}

static sc_status twice(const reading *r, const char *key)
{
    return sc_fail(SC_EINVAL, "%s: option '%s' is given twice", r->owner, key);
}

static sc_status unknown(const reading *r, const char *key)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    sc_near near;
    sc_near_begin(&near, key);
    sc_near_offer(&near, "batch");
    sc_near_offer(&near, "bits");
    for (size_t i = 0; r->g && i < r->g->n_options; i++)
        sc_near_offer(&near, r->g->options[i].key);
    return sc_fail(SC_EINVAL, "%s: no option '%s'%s", r->owner, sc_text_show(shown, key),
                   sc_did_you_mean(hint, near.best));
}

static sc_status read_own(reading *r, size_t i, const char *key, const char *text)
{
    const sc_net_option *o = &r->g->options[i];
    if (r->given[i])
        return twice(r, key);
    r->given[i] = true;
    if (o->most)
        return read_count(&r->value[i], r, key, text ? text : "", 1, o->most);
    if (text)
        return sc_fail(SC_EINVAL, "%s: option '%s' takes no value", r->owner, key);
    r->value[i] = 1;
    return SC_OK;
}

/* One "key=value", "flag" or bare value; cut up in place. */
static sc_status read_token(reading *r, char *token)
{
    char *text = strchr(token, '=');
    if (text)
        *text++ = '\0';
    if (strcmp(token, "batch") == 0) {
        if (r->common.has_batch)
            return twice(r, token);
        r->common.has_batch = true;
        return read_count(&r->common.batch, r, token, text ? text : "", 0, INT32_MAX);
    }
    if (strcmp(token, "bits") == 0)
        return r->common.bits ? twice(r, token) : read_bits(r, text ? text : "");
    for (size_t i = 0; r->g && i < r->g->n_options; i++) {
        const char *key = r->g->options[i].key;
        if (key[0] ? strcmp(key, token) == 0 : !text && isdigit((unsigned char)token[0]))
            return read_own(r, i, key[0] ? key : "size", key[0] ? text : token);
    }
    return unknown(r, token);
}

/* Position of a flag among the generator's options. */
static size_t flag(const reading *r, const char *key)
{
    size_t i = 0;
    while (strcmp(r->g->options[i].key, key) != 0)
        i++;
    return i;
}

static sc_status check_together(reading *r)
{
    for (size_t i = 0; r->g && i < r->g->n_options; i++) {
        const sc_net_option *o = &r->g->options[i];
        if (r->given[i] && o->with && !r->given[flag(r, o->with)])
            return sc_fail(SC_EINVAL, "%s: option '%s' needs '%s'", r->owner, o->key, o->with);
        if (r->given[i] && o->without && r->given[flag(r, o->without)])
            return sc_fail(SC_EINVAL, "%s: options '%s' and '%s' exclude each other", r->owner,
                           o->key, o->without);
        if (!r->given[i])
            r->value[i] = o->fallback;
    }
    return SC_OK;
}

sc_status sc_options_read(sc_common_options *common, uint64_t *value, const char *text,
                          const sc_generator *g)
{
    reading r = {.g = g, .owner = g ? g->name : "file"};
    char token[TOKEN_LEN];
    while (*text) {
        const size_t n = strcspn(text, ",");
        if (n == 0 || n >= sizeof token)
            return sc_fail(SC_EINVAL, "%s: an option is empty or too long", r.owner);
        memcpy(token, text, n);
        token[n] = '\0';
        const sc_status st = read_token(&r, token);
        if (st != SC_OK)
            return st;
        text += n;
        if (*text == ',' && *++text == '\0')
            return sc_fail(SC_EINVAL, "%s: an option is empty or too long", r.owner);
    }
    const sc_status st = check_together(&r);
    if (st != SC_OK)
        return st;
    *common = r.common;
    if (g)
        memcpy(value, r.value, g->n_options * sizeof *value);
    return SC_OK;
}
