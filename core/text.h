#ifndef CORE_TEXT_H
#define CORE_TEXT_H
/** Small helpers on names and text: suggestions for mistyped names, bounded copies, UTF-8. */
#include <stdbool.h>
#include <stddef.h>

#include "scantle/text.h" /* sc_nearest and sc_utf8_span, which are public */

enum {
    SC_SHOWN_LEN = 72,   /* buffer of sc_text_show, NUL included */
    SC_SUGGEST_LEN = 112 /* buffer of sc_did_you_mean, NUL included */
};

/** sc_nearest over names that stand in no array: begin, offer each, read `best`. */
typedef struct sc_near {
    const char *word, *best; /* best: NULL while nothing is near enough */
    size_t distance;         /* of best */
} sc_near;
void sc_near_begin(sc_near *near, const char *word);
void sc_near_offer(sc_near *near, const char *name);

/** Write " (did you mean 'name'?)", or "" when name is NULL. @return out, for use in a printf. */
const char *sc_did_you_mean(char out[SC_SUGGEST_LEN], const char *name);

/** Copy of text fit for a message: controls and broken UTF-8 become '?', a long text ends in "...".
 *  @return out, for use in a printf. */
const char *sc_text_show(char out[SC_SHOWN_LEN], const char *text);

/** Replace control characters by '?', in place, but those in keep: what input brings along must not
 *  drive a terminal or break a line of messages. */
void sc_text_defuse(char *text, const char *keep);

/** Copy cut to size (at a character's edge), always terminated. @return false if it was cut. */
bool sc_text_copy(char *out, size_t size, const char *text);

/** A place in a text, 1-based; columns count characters, not bytes. */
typedef struct sc_place {
    int line, column;
} sc_place;
/** Place of a byte offset. Cost: O(offset). */
sc_place sc_text_place(const char *text, size_t offset);

/** First byte that no text file may hold (a NUL or broken UTF-8); n if there is none. */
size_t sc_text_bad_byte(const char *text, size_t n);
#endif
