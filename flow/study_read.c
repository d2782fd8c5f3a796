#include "flow/study_read.h"

#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"

/* Each line of the message is an error of its own; one that has a place in another file keeps it.
 */
bool sc_study_fault(const sc_node *at, sc_status st)
{
    static const char mark[] = ": error: ";
    char message[2048];
    if (st == SC_ENOMEM) {
        sc_node_fail(at, st);
        return false;
    }
    (void)sc_text_copy(message, sizeof message, sc_error_message());
    for (char *line = message, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const char *place_end = strstr(line, mark);
        if (place_end)
            sc_node_error(at, "%.*s: %s", (int)(place_end - line), line,
                          place_end + sizeof mark - 1);
        else
            sc_node_error(at, "%s", line);
    }
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

/* Bytes of a reference that are a path: up to the options behind a colon. */
static size_t path_length(const char *text)
{
    return strcspn(text, ":");
}

const char *sc_study_reference(sc_study *s, const sc_node *at, const char *text)
{
    const size_t n = path_length(text);
    if (!s->folder || s->folder[0] == '\0' || text[0] == '/')
        return sc_study_text(s, at, text);
    const size_t size = strlen(s->folder) + strlen(text) + 2;
    char *joined = sc_study_array(s, at, size, 1);
    if (!joined)
        return NULL;
    (void)snprintf(joined, size, "%s/%.*s", s->folder, (int)n, text);
    if (!sc_file_exists(joined))
        return sc_study_text(s, at, text);
    (void)snprintf(joined, size, "%s/%s", s->folder, text);
    return joined;
}
