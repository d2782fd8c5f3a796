#include "xml_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, MOST = 4096 };

typedef struct reading {
    const char *at;
    xml_element *all;
    size_t n;
    size_t open[DEPTH]; /* indices of the elements around */
    int depth;
} reading;

static void read_name(char out[XML_NAME], reading *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)*r->at) || *r->at == '-' || *r->at == ':') {
        assert_true(n + 1 < XML_NAME);
        out[n++] = *r->at++;
    }
    assert_true(n > 0);
    out[n] = '\0';
}

/* One character of data, an entity being one. */
static void read_character(char *out, size_t *n, reading *r)
{
    static const struct {
        const char *text;
        char is;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    assert_true(*n + 1 < XML_TEXT);
    if (*r->at != '&') {
        out[(*n)++] = *r->at++;
        return;
    }
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strncmp(r->at, entities[i].text, strlen(entities[i].text)) == 0) {
            out[(*n)++] = entities[i].is;
            r->at += strlen(entities[i].text);
            return;
        }
    fail_msg("no entity: %.20s", r->at);
}

static void read_attribute(xml_element *e, reading *r)
{
    size_t n = 0;
    assert_true(e->n_attributes < XML_ATTRIBUTES);
    char name[XML_NAME];
    read_name(name, r);
    assert_null(xml_attribute(e, name));
    assert_true(*r->at++ == '=' && *r->at++ == '"');
    char *value = e->attribute[e->n_attributes].value;
    while (*r->at != '"') {
        assert_true(*r->at && *r->at != '<');
        read_character(value, &n, r);
    }
    r->at++;
    value[n] = '\0';
    strcpy(e->attribute[e->n_attributes++].name, name);
}

static void read_start(reading *r)
{
    assert_true(r->n < MOST && (r->n == 0 || r->depth > 0)); /* one root */
    xml_element *e = &r->all[r->n];
    read_name(e->name, r);
    e->depth = r->depth;
    while (*r->at == ' ') {
        r->at++;
        read_attribute(e, r);
    }
    if (*r->at == '/') {
        r->at++;
    } else {
        assert_true(r->depth < DEPTH);
        r->open[r->depth++] = r->n;
    }
    assert_true(*r->at++ == '>');
    r->n++;
}

static void read_end(reading *r)
{
    char name[XML_NAME];
    r->at++;
    read_name(name, r);
    assert_true(*r->at++ == '>');
    assert_true(r->depth > 0);
    assert_string_equal(name, r->all[r->open[--r->depth]].name);
}

xml_element *xml_read(size_t *n, const char *text)
{
    reading r = {.at = text, .all = calloc(MOST, sizeof *r.all)};
    assert_non_null(r.all);
    while (*r.at) {
        if (*r.at == '<') {
            r.at++;
            if (*r.at == '/')
                read_end(&r);
            else
                read_start(&r);
        } else if (r.depth == 0) {
            assert_true(isspace((unsigned char)*r.at));
            r.at++;
        } else {
            xml_element *e = &r.all[r.open[r.depth - 1]];
            size_t length = strlen(e->text);
            read_character(e->text, &length, &r);
        }
    }
    assert_int_equal(r.depth, 0);
    *n = r.n;
    return r.all;
}

const char *xml_attribute(const xml_element *e, const char *name)
{
    for (size_t i = 0; i < e->n_attributes; i++)
        if (strcmp(e->attribute[i].name, name) == 0)
            return e->attribute[i].value;
    return NULL;
}

double xml_number(const xml_element *e, const char *name)
{
    const char *value = xml_attribute(e, name);
    char *end;
    assert_non_null(value);
    const double v = strtod(value, &end);
    assert_true(end != value && *end == '\0');
    return v;
}
