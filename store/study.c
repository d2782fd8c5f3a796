#include "store/study.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "store/bytes.h"

/* Columns of the table studies. */
enum { ID, NAME, CONFIG, CONFIG_HASH, SEED, MODEL, KEEP, PARAMETERS, OUTPUTS };

sc_hash128 sc_store_study_id(const sc_store_study *study)
{
    unsigned char bytes[40]; /* two hashes and the seed: texts of any length in a fixed size */
    const sc_hash128 model = sc_hash128_of(study->model_version, strlen(study->model_version));
    sc_put_u64(bytes, study->config_hash.hi);
    sc_put_u64(bytes + 8, study->config_hash.lo);
    sc_put_u64(bytes + 16, study->seed);
    sc_put_u64(bytes + 24, model.hi);
    sc_put_u64(bytes + 32, model.lo);
    return sc_hash128_of(bytes, sizeof bytes);
}

/* ---- what a study may be ---- */

/* bad: the column that is wrong, parameters first, then values. */
static sc_status check_names(size_t *bad, const sc_store_study *study)
{
    static const char *const fixed[] = {"index",    "id",        "state",
                                        "feasible", "violation", "front",
                                        "reasons",  "evaluator", "model_version"};
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    const char *names[FIXED + SC_STORE_MAX_PARAMETERS + SC_STORE_MAX_VALUES];
    size_t n = 0;
    char shown[SC_SHOWN_LEN];

    for (size_t i = 0; i < FIXED; i++)
        names[n++] = fixed[i];
    for (size_t i = 0; i < study->n_parameters; i++)
        names[n++] = study->parameters[i];
    for (size_t i = 0; i < study->n_values; i++)
        names[n++] = study->values[i].name;
    for (size_t i = FIXED; i < n; i++) {
        *bad = i - FIXED;
        sc_status st = sc_store__check_text("name of a column", names[i], true);
        if (st != SC_OK)
            return st;
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return sc_fail(SC_EINVAL, "'%s' cannot name %s: it names %s",
                               sc_text_show(shown, names[i]),
                               i < FIXED + study->n_parameters ? "a parameter" : "a value",
                               k < FIXED ? "a fixed column of exports" : "another column");
    }
    for (size_t i = 0; i < study->n_parameters; i++) {
        *bad = i;
        if (strpbrk(study->parameters[i], "=,'"))
            return sc_fail(SC_EINVAL, "name '%s' of a parameter holds one of = , '",
                           sc_text_show(shown, study->parameters[i]));
    }
    *bad = SIZE_MAX;
    return SC_OK;
}

size_t sc_store_bad_column(const sc_store_study *study)
{
    size_t bad = SIZE_MAX;
    return check_names(&bad, study) == SC_OK ? SIZE_MAX : bad;
}

sc_status sc_store__check_text(const char *what, const char *text, bool needed)
{
    if (!text || (needed && !text[0]))
        return sc_fail(SC_EINVAL, "%s is missing", what);
    const size_t n = strlen(text);
    if (n > SC_STORE_MAX_TEXT)
        return sc_fail(SC_EINVAL, "%s has %zu bytes, over the %d allowed", what, n,
                       SC_STORE_MAX_TEXT);
    if (sc_text_bad_byte(text, n) != n)
        return sc_fail(SC_EINVAL, "%s is not UTF-8", what);
    return SC_OK;
}

sc_status sc_store_check_study(const sc_store_study *study)
{
    sc_status st;

    if ((st = sc_store__check_text("name of the study", study->name, true)) != SC_OK ||
        (st = sc_store__check_text("configuration", study->config, false)) != SC_OK ||
        (st = sc_store__check_text("model version", study->model_version, true)) != SC_OK)
        return st;
    if (study->seed > INT64_MAX)
        return sc_fail(SC_EINVAL, "seed %" PRIu64 " is not below 2^63", study->seed);
    const bool is_sample = study->keep.kind == SC_KEEP_SAMPLE;
    if (study->keep.kind > SC_KEEP_SAMPLE || study->keep.n > SC_STORE_MAX_SAMPLE ||
        is_sample != (study->keep.n > 0))
        return sc_fail(SC_EINVAL, "keep policy is outside its domain");
    if (study->n_parameters > SC_STORE_MAX_PARAMETERS || study->n_values > SC_STORE_MAX_VALUES)
        return sc_fail(SC_EINVAL, "%zu parameters and %zu values: at most %d and %d",
                       study->n_parameters, study->n_values, SC_STORE_MAX_PARAMETERS,
                       SC_STORE_MAX_VALUES);
    for (size_t i = 0; i < study->n_values; i++)
        if (study->values[i].goal > SC_GOAL_MAX)
            return sc_fail(SC_EINVAL, "goal of value %zu is outside its domain", i);
    size_t bad;
    return check_names(&bad, study);
}

/* ---- writing the row ---- */

/* Names one after the other, each with its NUL; a value's goal follows its name. */
static void encode_names(sc_buf *parameters, sc_buf *values, const sc_store_study *study)
{
    for (size_t i = 0; i < study->n_parameters; i++)
        sc_buf_append(parameters, study->parameters[i], strlen(study->parameters[i]) + 1);
    for (size_t i = 0; i < study->n_values; i++) {
        const char *goal = sc_store_goal_name(study->values[i].goal);
        sc_buf_append(values, study->values[i].name, strlen(study->values[i].name) + 1);
        sc_buf_append(values, goal, strlen(goal) + 1);
    }
}

sc_status sc_store__study_insert(sc_added *how, sc_store *s, const sc_store_study *study)
{
    const sc_key id = sc_store__key(sc_store_study_id(study));
    const sc_key config_hash = sc_store__key(study->config_hash);
    char keep[SC_STORE_KEEP_LEN];
    sc_buf parameters;
    sc_buf values;
    sc_status st;

    sc_buf_init(&parameters);
    sc_buf_init(&values);
    encode_names(&parameters, &values, study);
    if ((st = parameters.status) != SC_OK || (st = values.status) != SC_OK) {
        (void)sc_store__lose_batch(s, st);
        goto done;
    }
    const sc_cell cells[] = {
        [ID] = sc_cell_key(&id),
        [NAME] = sc_cell_text(study->name),
        [CONFIG] = sc_cell_text(study->config),
        [CONFIG_HASH] = sc_cell_key(&config_hash),
        [SEED] = sc_cell_int((int64_t)study->seed),
        [MODEL] = sc_cell_text(study->model_version),
        [KEEP] = sc_cell_text(sc_store_keep_text(keep, study->keep)),
        [PARAMETERS] = sc_cell_blob(parameters.text, parameters.length),
        [OUTPUTS] = sc_cell_blob(values.text, values.length),
    };
    st = sc_store__insert(how, s, SC_TABLE_STUDIES, cells);
done:
    sc_buf_clear(&parameters);
    sc_buf_clear(&values);
    return st;
}

/* ---- reading it ---- */

struct holder {
    sc_store_info info; /* first: what is handed out */
    sc_arena *arena;
};

static char *copy(sc_arena *arena, sqlite3_stmt *row, int column)
{
    const sc_cell c = sc_store__column(row, column);
    return sc_arena_strndup(arena, c.bytes, c.n);
}

/* The name at *at, which moves behind its NUL; NULL if the list, which ends in a NUL, is over. */
static const char *next_name(const char *list, size_t n, size_t *at)
{
    const char *name = *at < n ? list + *at : NULL;
    if (name)
        *at += strlen(name) + 1;
    return name;
}

static size_t count_names(const char *list, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; next_name(list, n, &at);)
        count++;
    return count;
}

static sc_status read_parameters(struct holder *h, const char *list, size_t n)
{
    const size_t count = count_names(list, n);
    const char **names = sc_arena_calloc(h->arena, count + 1, sizeof *names);
    size_t at = 0;

    if (!names)
        return SC_ENOMEM;
    for (size_t i = 0; i < count; i++)
        names[i] = next_name(list, n, &at);
    h->info.study.parameters = names;
    h->info.study.n_parameters = count;
    return SC_OK;
}

static sc_status read_goal(sc_store_goal *out, const char *text)
{
    for (int g = SC_GOAL_NONE; text && g <= SC_GOAL_MAX; g++) {
        if (strcmp(text, sc_store_goal_name((sc_store_goal)g)) == 0) {
            *out = (sc_store_goal)g;
            return SC_OK;
        }
    }
    return sc_fail(SC_EPARSE, "a value without a goal");
}

static sc_status read_values(struct holder *h, const char *list, size_t n)
{
    const size_t count = (count_names(list, n) + 1) / 2;
    sc_store_value *values = sc_arena_calloc(h->arena, count + 1, sizeof *values);
    size_t at = 0;
    sc_status st = values ? SC_OK : SC_ENOMEM;

    for (size_t i = 0; i < count && st == SC_OK; i++) {
        values[i].name = next_name(list, n, &at);
        st = read_goal(&values[i].goal, next_name(list, n, &at));
    }
    h->info.study.values = values;
    h->info.study.n_values = count;
    return st;
}

static sc_status read_study(struct holder *h, sqlite3_stmt *row)
{
    sc_store_study *study = &h->info.study;
    const char *keep = copy(h->arena, row, KEEP);
    const char *parameters = copy(h->arena, row, PARAMETERS);
    const char *outputs = copy(h->arena, row, OUTPUTS);
    sc_status st;

    study->name = copy(h->arena, row, NAME);
    study->config = copy(h->arena, row, CONFIG);
    study->model_version = copy(h->arena, row, MODEL);
    if (!keep || !parameters || !outputs || !study->name || !study->config || !study->model_version)
        return SC_ENOMEM;
    study->config_hash = sc_store__column_hash(row, CONFIG_HASH);
    study->seed = (uint64_t)sqlite3_column_int64(row, SEED);
    if ((st = sc_store_keep_parse(&study->keep, keep)) != SC_OK ||
        (st = read_parameters(h, parameters, sc_store__column(row, PARAMETERS).n)) != SC_OK ||
        (st = read_values(h, outputs, sc_store__column(row, OUTPUTS).n)) != SC_OK)
        return st;
    return sc_store_check_study(study);
}

sc_store_counts sc_store__counts(sqlite3_stmt *progress)
{
    return (sc_store_counts){
        .trials = (uint64_t)sqlite3_column_int64(progress, SC_PROGRESS_TRIALS),
        .feasible = (uint64_t)sqlite3_column_int64(progress, SC_PROGRESS_FEASIBLE),
        .infeasible = (uint64_t)sqlite3_column_int64(progress, SC_PROGRESS_INFEASIBLE),
        .failed = (uint64_t)sqlite3_column_int64(progress, SC_PROGRESS_FAILED),
        .kept = (uint64_t)sqlite3_column_int64(progress, SC_PROGRESS_KEPT),
    };
}

/* Both rows of a study. A row that is whole but not understood is as bad as a damaged one. */
static sc_status read_rows(struct holder *h, sc_store *s, sc_hash128 id)
{
    const sc_key key = sc_store__key(id);
    const sc_cell cell = sc_cell_key(&key);
    sqlite3_stmt *row = NULL;
    char hex[SC_HASH_HEX];
    sc_status st;

    sc_hash_hex(id, hex);
    if ((st = sc_store__find(&row, s, SC_TABLE_STUDIES, &cell)) != SC_OK)
        return st;
    if (!row)
        return sc_fail(SC_ENOTFOUND, "%s: no study %s", s->path, hex);
    st = read_study(h, row);
    sc_store__release(row);
    if (st != SC_OK)
        return st == SC_ENOMEM
                   ? sc_store__lose_batch(s, st)
                   : sc_store__corrupt(s, "row %s of table studies has no meaning", hex);
    if ((st = sc_store__find(&row, s, SC_TABLE_PROGRESS, &cell)) != SC_OK)
        return st;
    if (!row)
        return sc_store__corrupt(s, "row %s of table progress is missing", hex);
    h->info.id = id;
    h->info.counts = sc_store__counts(row);
    h->info.status = copy(h->arena, row, SC_PROGRESS_STATUS);
    sc_store__release(row);
    return h->info.status ? SC_OK : sc_store__lose_batch(s, SC_ENOMEM);
}

sc_status sc_store_info_open(sc_store_info **out, sc_store *s, sc_hash128 id)
{
    struct holder *h = sc_calloc(1, sizeof *h);
    sc_status st = h ? SC_OK : SC_ENOMEM;

    if (st != SC_OK || (st = sc_arena_create(&h->arena, 4096)) != SC_OK ||
        (st = sc_store__read_begin(s)) != SC_OK)
        goto done;
    st = read_rows(h, s, id);
    sc_store__read_end(s);
    if (st == SC_OK) {
        *out = &h->info;
        h = NULL;
    }
done:
    if (h)
        sc_store_info_close(&h->info);
    return st;
}

void sc_store_info_close(sc_store_info *info)
{
    if (!info)
        return;
    struct holder *h = (struct holder *)(void *)info;
    sc_arena_destroy(h->arena);
    sc_free(h);
}
