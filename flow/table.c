/* Looking things up in a recorded table. */
#include "flow/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "flow/table_inner.h"

void sc_table_destroy(sc_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_axes; i++) {
        sc_intern_clear(&t->axis[i].seen);
        sc_free(t->axis[i].index);
    }
    for (size_t i = 0; i < t->n_symbols; i++) {
        sc_intern_clear(&t->symbol[i].labels);
        sc_free(t->symbol[i].rank);
    }
    for (size_t i = 0; i < t->n_figures; i++)
        sc_expr_destroy(t->figure[i].e);
    for (size_t i = 0; i < SC_TABLE_RULES; i++)
        sc_expr_destroy(t->rule[i].e);
    sc_free(t->keys);
    sc_free(t->values);
    sc_free(t->violation);
    sc_free(t->line);
    sc_free(t->state);
    sc_free(t->slot);
    sc_free(t);
}

sc_hash128 sc_table_hash(const sc_table *t)
{
    return t->hash;
}

const char *sc_table_evaluator(const sc_table *t)
{
    return t->evaluator;
}

size_t sc_table_values(const sc_table *t)
{
    return t->n_figures;
}

const char *sc_table_value_name(const sc_table *t, size_t i)
{
    return t->figure[i].name;
}

size_t sc_table_value_find(const sc_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_figures; i++)
        if (strcmp(t->figure[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const char *sc_table_nearest(const sc_table *t, const char *name)
{
    const char *names[SC_STORE_MAX_VALUES];
    for (size_t i = 0; i < t->n_figures; i++)
        names[i] = t->figure[i].name;
    const char *near = sc_nearest(name, names, t->n_figures);
    return near ? near : sc_nearest(name, t->column, t->n_columns);
}

size_t sc_table_rows(const sc_table *t)
{
    return t->n_rows;
}

/* Two words hold the place in the grid; where it has 2^64 points or more, the indices themselves.
 */
void sc_table__pack(const sc_table *t, const uint32_t *origin, uint32_t *key)
{
    uint64_t rank = 0;
    if (t->key_words == t->n_axes) {
        memcpy(key, origin, t->n_axes * sizeof *key);
        return;
    }
    for (size_t i = 0; i < t->n_axes; i++)
        rank = rank * t->axis[i].n_values + origin[i];
    key[0] = (uint32_t)(rank >> 32);
    key[1] = (uint32_t)rank;
}

void sc_table_origin(const sc_table *t, size_t row, uint32_t *origin)
{
    const uint32_t *key = t->keys + row * t->key_words;
    if (t->key_words == t->n_axes) {
        memcpy(origin, key, t->n_axes * sizeof *key);
        return;
    }
    uint64_t rank = (uint64_t)key[0] << 32 | key[1];
    for (size_t i = t->n_axes; i-- > 0; rank /= t->axis[i].n_values)
        origin[i] = (uint32_t)(rank % t->axis[i].n_values);
}

size_t sc_table__slot(const sc_table *t, const uint32_t *key)
{
    const size_t bytes = t->key_words * sizeof *key;
    size_t i = (size_t)sc_hash64_of(key, bytes) & (t->slots - 1);
    while (t->slot[i] && memcmp(t->keys + (size_t)(t->slot[i] - 1) * t->key_words, key, bytes) != 0)
        i = (i + 1) & (t->slots - 1);
    return i;
}

size_t sc_table_find(const sc_table *t, const uint32_t *origin)
{
    uint32_t key[SC_MAX_PARAMS];
    sc_table__pack(t, origin, key);
    const uint32_t slot = t->slot[sc_table__slot(t, key)];
    return slot ? slot - 1 : SIZE_MAX;
}

static void say(sc_row *row, const char *code, const char *where)
{
    (void)snprintf(row->reasons, sizeof row->reasons, "[{\"code\":\"%s\",\"where\":\"%s\"}]", code,
                   where);
}

void sc_table_evaluate(sc_row *row, const sc_study *s, const uint32_t *point)
{
    const sc_table *t = s->table;
    uint32_t origin[SC_MAX_PARAMS];
    char where[32];
    sc_space_origin(s->space, point, origin);
    const size_t at = sc_table_find(t, origin);
    row->reasons[0] = '\0';
    row->violation = 0.0;
    for (size_t v = 0; v < s->n_values; v++)
        row->values[v] =
            at == SIZE_MAX ? (double)NAN : t->values[at * t->n_figures + s->values[v].figure];
    if (at == SIZE_MAX) {
        row->state = t->missing == SC_MISSING_INFEASIBLE ? SC_STATE_INFEASIBLE : SC_STATE_FAILED;
        row->violation = row->state == SC_STATE_INFEASIBLE ? t->worst : 0.0;
        say(row, "missing", "not in the table");
        return;
    }
    row->state = (sc_store_state)t->state[at];
    if (row->state == SC_STATE_FEASIBLE) {
        sc_study_judge(row, s, false);
        return;
    }
    (void)snprintf(where, sizeof where, "%s %u", t->numbered ? "row" : "line", t->line[at]);
    say(row, "recorded", where);
    if (row->state == SC_STATE_INFEASIBLE)
        row->violation = t->violation ? t->violation[at] : 1.0;
}
