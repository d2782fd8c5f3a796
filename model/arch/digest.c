#include "model/arch/digest.h"

#include <string.h>

enum { MAX_DEPTH = 64 }; /* deeper than any form has; a reader refuses such a file anyway */

static bool is_told(const char *key, int depth)
{
    if (strcmp(key, "about") == 0 || strcmp(key, "source") == 0)
        return true;
    return depth == 0 && (strcmp(key, "name") == 0 || strcmp(key, "published") == 0);
}

static void put_text(sc_buf *out, const char *text)
{
    sc_buf_printf(out, "%zu:", strlen(text)); /* the length keeps "a","bc" and "ab","c" apart */
    sc_buf_puts(out, text);
}

static void digest(sc_buf *out, const sc_node *n, int depth)
{
    static const char MARK[] = {
        [SC_NODE_SCALAR] = 's', [SC_NODE_SEQUENCE] = '[', [SC_NODE_MAP] = '{'};
    const sc_node_kind kind = sc_node_kind_of(n);
    sc_buf_append(out, &MARK[kind], 1);
    if (kind == SC_NODE_SCALAR)
        put_text(out, sc_node_text(n));
    for (size_t i = 0; depth < MAX_DEPTH && i < sc_node_count(n); i++) {
        if (kind == SC_NODE_MAP && is_told(sc_node_key(n, i), depth))
            continue;
        if (kind == SC_NODE_MAP)
            put_text(out, sc_node_key(n, i));
        digest(out, sc_node_item(n, i), depth + 1);
    }
    sc_buf_puts(out, kind == SC_NODE_SCALAR ? "" : "}");
}

void sc_yaml__digest(sc_buf *out, const sc_node *n)
{
    digest(out, n, 0);
}
