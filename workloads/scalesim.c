#include "workloads/scalesim.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/text.h"
#include "scantle/scalesim.h"

enum { MAX_BYTES = 64 << 20, MAX_LINE = 512, MAX_ERRORS = 20, WORD_BITS = 8, NAME_LEN = 256 };

void sc_scalesim_error(sc_scalesim_log *log, const char *path, int line, int column,
                       const char *fmt, ...)
{
    char text[MAX_LINE];
    va_list args;
    if (log->n_errors++ >= MAX_ERRORS)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sc_buf_printf(&log->errors, "%s%s:%d:%d: error: %s", log->errors.length ? "\n" : "", path, line,
                  column, text);
}

void sc_scalesim_note(sc_scalesim_log *log, const char *fmt, ...)
{
    char text[MAX_LINE];
    va_list args;
    if (log->n_notes == SC_SCALESIM_NOTES)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sc_text_defuse(text, "");
    if ((log->note[log->n_notes] = sc_strdup(text)))
        log->n_notes++;
    else
        log->status = SC_ENOMEM;
}

sc_status sc_scalesim_status(const sc_scalesim_log *log)
{
    if (log->status != SC_OK)
        return log->status;
    if (log->errors.status != SC_OK)
        return log->errors.status;
    if (log->n_errors > MAX_ERRORS)
        return sc_fail(SC_EPARSE, "%s\nand %zu more", log->errors.text, log->n_errors - MAX_ERRORS);
    return log->n_errors ? sc_fail(SC_EPARSE, "%s", log->errors.text) : SC_OK;
}

/* A whole text file, without bytes that text cannot have. */
static sc_status read_text(char **out, const char *path)
{
    size_t length;
    sc_status st = sc_file_read(out, &length, path, MAX_BYTES);
    if (st != SC_OK)
        return st;
    const size_t bad = sc_text_bad_byte(*out, length);
    if (bad < length) {
        const sc_place at = sc_text_place(*out, bad);
        st = sc_fail(SC_EPARSE, "%s:%d:%d: error: no text file: a NUL or broken UTF-8", path,
                     at.line, at.column);
        sc_free(*out);
        *out = NULL;
    }
    return st;
}

/* The file's name without folder and ending. */
static void base_name(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    (void)sc_text_copy(out, size, slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot > out)
        *dot = '\0';
}

static json_t *array_json(const sc_scalesim_config *c)
{
    return json_pack("{s:I, s:I, s:s}", "rows", (json_int_t)c->rows, "cols", (json_int_t)c->cols,
                     "dataflow", c->dataflow);
}

static sc_status make_report(char **out, const sc_workload *w, const sc_scalesim_config *c,
                             const sc_scalesim_log *log)
{
    json_t *notes = json_array();
    bool ok = notes != NULL;
    for (size_t i = 0; i < log->n_notes; i++)
        ok &= json_array_append_new(notes, json_string(log->note[i])) == 0;
    json_t *report =
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "name", sc_workload_name(w), "layers",
                  (json_int_t)sc_workload_ops(w), "macs", (json_int_t)sc_workload_macs(w),
                  "parameters", (json_int_t)sc_workload_parameters(w), "array",
                  c ? array_json(c) : json_null(), "assumptions", notes);
    const sc_status st = ok && report ? sc_json_write(out, report, 1)
                                      : sc_fail(SC_ENOMEM, "out of memory for the report");
    json_decref(report);
    return st;
}

static sc_status read_network(sc_workload **out, sc_scalesim_log *log, const char *topology)
{
    char name[NAME_LEN], *text = NULL;
    sc_builder *b = NULL;
    base_name(name, sizeof name, topology);
    sc_status st = read_text(&text, topology);
    if (st == SC_OK && (st = sc_builder_create(&b, name, 1, WORD_BITS)) == SC_OK) {
        sc_scalesim_read_topology(b, log, topology, text);
        st = log->status != SC_OK || log->n_errors ? SC_OK : sc_builder_finish(out, b);
    }
    sc_builder_destroy(b);
    sc_free(text);
    return st;
}

sc_status sc_scalesim_import(sc_workload **out, char **platform, char **report, const char *config,
                             const char *topology)
{
    sc_scalesim_log log = {.n_errors = 0};
    sc_scalesim_config c;
    sc_workload *w = NULL;
    char *text = NULL, *made = NULL, *said = NULL;
    sc_buf b;
    sc_buf_init(&b);
    sc_status st = config ? read_text(&text, config) : SC_OK;
    if (st == SC_OK && config)
        sc_scalesim_read_config(&c, &log, config, text);
    if (st == SC_OK)
        st = read_network(&w, &log, topology);
    if (st == SC_OK)
        st = sc_scalesim_status(&log);
    if (st == SC_OK && config) {
        sc_scalesim_platform(&b, &c);
        st = sc_buf_take(&b, &made);
    }
    if (st == SC_OK)
        st = make_report(&said, w, config ? &c : NULL, &log);
    if (st == SC_OK) {
        *out = w;
        *platform = made;
        *report = said;
    } else {
        sc_workload_destroy(w);
        sc_free(made);
    }
    for (size_t i = 0; i < log.n_notes; i++)
        sc_free(log.note[i]);
    sc_buf_clear(&log.errors);
    sc_buf_clear(&b);
    sc_free(text);
    return st;
}
