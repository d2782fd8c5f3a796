#include "flow/study_read.h"

#include <string.h>

#include "core/text.h"

bool sc_study_fault(const sc_node *at, sc_status st)
{
    char message[1024];
    if (st == SC_ENOMEM) {
        sc_node_fail(at, st);
        return false;
    }
    (void)sc_text_copy(message, sizeof message, sc_error_message());
    sc_node_error(at, "%s", message);
    return false;
}

void *sc_study_array(sc_study *s, const sc_node *at, size_t count, size_t size)
{
    void *p = sc_arena_calloc(s->arena, count ? count : 1, size);
    if (!p)
        sc_node_fail(at, SC_ENOMEM);
    return p;
}

char *sc_study_text(sc_study *s, const sc_node *at, const char *text)
{
    char *copy = sc_arena_strndup(s->arena, text, strlen(text));
    if (!copy)
        sc_node_fail(at, SC_ENOMEM);
    return copy;
}
