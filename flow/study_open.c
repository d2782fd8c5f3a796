#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/number.h"
#include "flow/study_read.h"
#include "flow/table.h"
#include "model/net/rules.h"

enum { FORM_VERSION = 1, LARGEST_FILE = 1 << 24 };

static void read_head(sc_study *s, const sc_node *root)
{
    static const char *const keys[] = {
        "version",   "name",       "about",       "template",   "space",          "networks",
        "aggregate", "objectives", "limits",      "baseline",   "optimizer",      "batch",
        "seed",      "budget",     "keep",        "map_budget", "map_nodes",      "warm_start",
        "points",    "evaluator",  "calibration", "rules",      "baseline_rules", "rung"};
    static const char *const evaluators[] = {"model", "external"};
    const char *name = NULL;
    size_t evaluator;
    (void)sc_map_version(root, FORM_VERSION);
    (void)sc_map_only(root, keys, sizeof keys / sizeof *keys);
    if (sc_map_text(&name, root, "name")) {
        if (name[0] == '\0')
            sc_node_error(sc_node_get(root, "name"), "the name is empty");
        s->name = sc_study_text(s, root, name);
    }
    if (sc_node_get(root, "baseline") && sc_map_text(&name, root, "baseline"))
        s->baseline = sc_study_reference(s, root, name);
    const bool own = sc_node_get(root, "template") == NULL;
    if (sc_study_names_table(root)) {
        if (!own)
            sc_node_error(root, "a recorded table has its own parameters: no `template:`");
        return;
    }
    if (sc_map_choice_or(&evaluator, root, "evaluator", evaluators, 2, own ? 1 : 0) &&
        own != (evaluator == 1))
        sc_node_error(root, own ? "our model evaluates templates: say `template:`, or `evaluator: "
                                  "external` for a space of your own"
                                : "an external evaluator takes a `space:` of your own, without "
                                  "`template:`");
}

/* The node that holds a text, itself or under a key; NULL if none does. */
static const sc_node *item_named(const sc_node *list, const char *key, const char *name)
{
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *item = sc_node_item(list, i);
        const sc_node *text = sc_node_kind_of(item) == SC_NODE_MAP ? sc_node_get(item, key) : item;
        if (sc_node_kind_of(text) == SC_NODE_SCALAR && strcmp(sc_node_text(text), name) == 0)
            return text;
    }
    return NULL;
}

/* Where a file names a column of the store: a parameter, an objective, a limit or a network. */
static const sc_node *place_of_column(const sc_study *s, const sc_node *root, size_t column)
{
    const size_t params = sc_space_params(s->space);
    const sc_node *at = NULL, *limits = sc_node_get(root, "limits");
    if (column == SIZE_MAX)
        return root;
    if (column < params) {
        const char *name = sc_space_param_at(s->space, column)->name;
        at = item_named(
            sc_node_get(sc_node_get(root, s->table ? "evaluator" : "space"), "parameters"), "name",
            name);
        return at ? at : sc_node_get(root, s->template ? "template" : "space");
    }
    const sc_study_value *v = &s->values[column - params];
    if (s->template && v->network != SIZE_MAX)
        return item_named(sc_node_get(root, "networks"), "network", s->networks[v->network].spec);
    at = item_named(sc_node_get(root, "objectives"), "metric", v->name);
    for (size_t i = 0; !at && i < sc_node_count(limits); i++)
        if (strcmp(sc_node_key(limits, i), v->name) == 0)
            at = sc_node_key_node(limits, i);
    return at ? at : root;
}

/* What would only fail at the first trial: shown with its place, before a database is made. */
static void check_use(sc_study *s, const sc_node *root)
{
    sc_problem problem;
    sc_optimizer *optimizer = NULL;
    sc_design *baseline = NULL;
    sc_store_study form;
    sc_status st = s->baseline ? sc_design_open(&baseline, s->baseline) : SC_OK;
    sc_design_destroy(baseline);
    if (st != SC_OK)
        (void)sc_study_fault(sc_node_get(root, "baseline"), st);
    sc_space_problem(s->space, s->n_objectives, &problem);
    st = sc_optimizer_create(&optimizer, s->optimizer, &problem, s->seed, &s->optimizer_options);
    sc_optimizer_destroy(optimizer);
    if (st != SC_OK)
        (void)sc_study_fault(sc_node_get(root, "optimizer") ? sc_node_get(root, "optimizer") : root,
                             st);
    if ((st = sc_study_store_form(&form, s)) != SC_OK ||
        (st = sc_store_check_study(&form)) != SC_OK) {
        const sc_node *at =
            place_of_column(s, root, st == SC_EINVAL ? sc_store_bad_column(&form) : SIZE_MAX);
        st = sc_store_check_study(&form); /* its message again */
        (void)sc_study_fault(at, st);
    }
}

static void read_study(sc_study *s, const sc_node *root)
{
    read_head(s, root);
    if (!s->name || !sc_study_read_space(s, root))
        return;
    if (s->template && !sc_study_read_networks(s, root))
        return;
    if (!s->template && (sc_node_get(root, "networks") || s->baseline)) {
        sc_node_error(root, "%s knows no networks and no baseline of ours",
                      s->table ? "a recorded table" : "an external evaluator");
        return;
    }
    const bool values = sc_study_read_values(s, root);
    if (sc_study_read_search(s, root) && values)
        check_use(s, root);
}

static void hash_points(sc_buf *b, const sc_study *s, const uint32_t *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sc_space_text(s->space, points + i * sc_space_params(s->space), b);
        sc_buf_puts(b, ";");
    }
    sc_buf_puts(b, "\n");
}

/* All that may change a trial, in one text. Name, seed, budget and keep policy are not part of it:
 * the store names a study by this hash, the seed and the model's version. */
static sc_status hash_config(sc_study *s)
{
    sc_buf b;
    char hex[SC_HASH_HEX], number[32];
    sc_status st = SC_OK;
    sc_buf_init(&b);
    sc_hash_hex(sc_space_hash(s->space), hex);
    sc_buf_printf(&b, "space %s\n", hex);
    if (s->template) {
        sc_hash_hex(sc_template_hash(s->template), hex);
        sc_buf_printf(&b, "template %s\n", hex);
    }
    if (s->table) {
        sc_hash_hex(sc_table_hash(s->table), hex);
        sc_buf_printf(&b, "table %s\n", hex);
    }
    for (size_t i = 0; i < s->n_networks && st == SC_OK; i++) {
        st = sc_workload_fingerprint(hex, s->networks[i].workload);
        sc_double_text(number, sizeof number, s->networks[i].weight);
        sc_buf_printf(&b, "network %s %s\n", hex, number);
    }
    for (size_t i = 0; i < s->n_objectives; i++)
        sc_buf_printf(&b, "objective %s %s\n", s->values[s->objectives[i]].name,
                      sc_store_goal_name(s->values[s->objectives[i]].goal));
    for (size_t i = 0; i < s->n_limits; i++) {
        const sc_study_limit *l = &s->limits[i];
        sc_double_text(number, sizeof number, l->limit);
        sc_buf_printf(&b, "limit %s %s %s\n", s->values[l->value].name, l->at_most ? "max" : "min",
                      l->baseline ? s->baseline : number);
    }
    sc_buf_printf(&b, "aggregate %d optimizer %s %u %u batch %zu map_budget %llu\n", s->aggregate,
                  s->optimizer, s->optimizer_options.population, s->optimizer_options.batch,
                  s->batch, (unsigned long long)s->map_budget);
    if (s->map_nodes > 0)
        sc_buf_printf(&b, "map_nodes %llu\n", (unsigned long long)s->map_nodes);
    if (s->calibration.name[0]) {
        sc_hash_hex(sc_calibration_hash(&s->calibration), hex);
        sc_buf_printf(&b, "calibration %s\n", hex);
    }
    char rules[SC_RULES_LEN], other[SC_RULES_LEN];
    if (sc_rules_text(rules, &s->rules)[0] != '\0')
        sc_buf_printf(&b, "rules %s\n", rules);
    if (strcmp(sc_rules_text(other, &s->baseline_rules), rules) != 0)
        sc_buf_printf(&b, "baseline_rules %s\n", other);
    if (s->rung)
        sc_buf_printf(&b, "rung %s\n", s->rung);
    hash_points(&b, s, s->warm, s->n_warm);
    hash_points(&b, s, s->optimizer_options.points, s->optimizer_options.n_points);
    char *text = NULL;
    const sc_status taken = sc_buf_take(&b, &text);
    if (st == SC_OK && (st = taken) == SC_OK)
        s->config_hash = sc_hash128_of(text, strlen(text));
    sc_free(text);
    return st;
}

static sc_status find_folder(sc_study *s, const char *path)
{
    char *folder = sc_path_folder(path);
    s->folder = folder ? sc_arena_strndup(s->arena, folder, strlen(folder)) : NULL;
    sc_free(folder);
    return s->folder ? SC_OK : SC_ENOMEM;
}

sc_status sc_study_parse(sc_study **out, const char *name, const char *text, size_t n)
{
    sc_yaml *y = NULL;
    sc_study *s = NULL;
    sc_status st = sc_yaml_parse(&y, name, text, n);
    if (st != SC_OK)
        return st;
    st = SC_ENOMEM;
    if (!(s = sc_calloc(1, sizeof *s)) || (st = sc_arena_create(&s->arena, 0)) != SC_OK)
        goto done;
    if ((st = find_folder(s, name)) != SC_OK)
        goto done;
    if (!(s->config = sc_arena_strndup(s->arena, text, n))) {
        st = SC_ENOMEM;
        goto done;
    }
    read_study(s, sc_yaml_root(y));
    if ((st = sc_yaml_status(y)) != SC_OK || (st = hash_config(s)) != SC_OK)
        goto done;
    *out = s;
    s = NULL;
done:
    sc_study_close(s);
    sc_yaml_close(y);
    return st;
}

/* Byte of the first key: its line, then its column, which is in bytes since nothing but blanks and
 * a brace can stand before it. */
static size_t first_key(const char *text, size_t n, const sc_node *root)
{
    const sc_node *key = sc_node_key_node(root, 0);
    size_t at = 0;
    for (int line = 1; line < sc_node_line(key) && at < n; at++)
        line += text[at] == '\n';
    return at + (size_t)sc_node_column(key) - 1;
}

/* The text with `rung:` as its first key, so that the study in the database says which it is. */
static sc_status add_rung(char **text, size_t *n, const char *path, const char *rung)
{
    sc_yaml *y = NULL;
    sc_buf b;
    sc_status st = sc_yaml_parse(&y, path, *text, *n);
    if (st != SC_OK)
        return st;
    const sc_node *root = sc_yaml_root(y);
    const sc_node *taken = sc_node_get(root, "rung");
    const size_t at = sc_node_count(root) > 0 ? first_key(*text, *n, root) : 0;
    const bool flow = at > 0 && strchr("{ \t", (*text)[at - 1]) && memchr(*text, '{', at);
    sc_buf_init(&b);
    sc_buf_append(&b, *text, at);
    sc_buf_printf(&b, "rung: %s%s", rung, flow ? ", " : "\n");
    for (int i = 1; !flow && i < sc_node_column(sc_node_key_node(root, 0)); i++)
        sc_buf_puts(&b, " ");
    sc_buf_append(&b, *text + at, *n - at);
    if (taken)
        st = sc_fail(SC_EINVAL, "%s:%d:%d: error: the study is a rung already", path,
                     sc_node_line(taken), sc_node_column(taken));
    sc_yaml_close(y);
    const size_t length = b.length;
    char *more = NULL;
    const sc_status made = sc_buf_take(&b, &more);
    if (st != SC_OK || (st = made) != SC_OK) {
        sc_free(more);
        return st;
    }
    sc_free(*text);
    *text = more;
    *n = length;
    return SC_OK;
}

sc_status sc_study_open(sc_study **out, const char *path, const sc_study_overrides *o)
{
    char *text = NULL;
    size_t n = 0;
    sc_study *s = NULL;
    if (o && o->version != 1)
        return sc_fail(SC_EINVAL, "study overrides: version must be 1");
    sc_status st = sc_file_read(&text, &n, path, LARGEST_FILE);
    if (st == SC_OK && o && o->rung)
        st = add_rung(&text, &n, path, o->rung);
    if (st == SC_OK)
        st = sc_study_parse(&s, path, text, n);
    sc_free(text);
    if (st != SC_OK)
        return st;
    if (o && o->seed)
        s->seed = *o->seed;
    if (o && o->trials)
        s->trials = *o->trials;
    *out = s;
    return SC_OK;
}

void sc_study_close(sc_study *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_networks; i++)
        sc_workload_destroy(s->networks[i].workload);
    sc_space_destroy(s->space);
    sc_table_destroy(s->table);
    sc_template_destroy(s->template);
    sc_design_destroy(s->baseline_design);
    sc_arena_destroy(s->arena);
    sc_free(s);
}

const char *sc_study_name(const sc_study *s)
{
    return s->name;
}

void sc_study_id(char out[33], const sc_study *s)
{
    const sc_store_study key = {
        .config_hash = s->config_hash, .seed = s->seed, .model_version = sc_model_version()};
    sc_hash_hex(sc_store_study_id(&key), out);
}

sc_status sc_study_store_form(sc_store_study *out, const sc_study *s)
{
    const size_t params = sc_space_params(s->space);
    const char **names = sc_arena_calloc(s->arena, params, sizeof *names);
    sc_store_value *values = sc_arena_calloc(s->arena, s->n_values, sizeof *values);
    if (!names || !values)
        return SC_ENOMEM;
    for (size_t i = 0; i < params; i++)
        names[i] = sc_space_param_at(s->space, i)->name;
    for (size_t v = 0; v < s->n_values; v++)
        values[v] = (sc_store_value){s->values[v].name, s->values[v].goal};
    *out = (sc_store_study){.name = s->name,
                            .config = s->config,
                            .config_hash = s->config_hash,
                            .seed = s->seed,
                            .model_version = sc_model_version(),
                            .keep = s->keep,
                            .parameters = names,
                            .n_parameters = params,
                            .values = values,
                            .n_values = s->n_values};
    return SC_OK;
}
