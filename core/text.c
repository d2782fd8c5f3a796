#include "core/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau, CACM 7(3) 1964, restricted to one edit a place): a
 * swap of neighbours, the commonest slip of typing, counts one. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned char row[3][LONGEST_WORD + 1]; /* rows i - 2, i - 1 and i of the table, in turn */
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= na; i++) {
        const unsigned char *older = row[(i + 1) % 3], *above = row[(i + 2) % 3];
        unsigned char *here = row[i % 3];
        here[0] = (unsigned char)i;
        for (size_t j = 1; j <= nb; j++) {
            const int differ = a[i - 1] != b[j - 1];
            size_t d = least(least(above[j] + 1U, here[j - 1] + 1U), above[j - 1] + (size_t)differ);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = least(d, older[j - 2] + 1U);
            here[j] = (unsigned char)d;
        }
    }
    return row[na % 3][nb];
}

void sc_near_begin(sc_near *near, const char *word)
{
    const size_t third = strlen(word) / 3;
    *near = (sc_near){.word = word, .distance = (third ? third : 1) + 1};
}

void sc_near_offer(sc_near *near, const char *name)
{
    const size_t na = strlen(near->word), nb = strlen(name);
    if (na > LONGEST_WORD || nb > LONGEST_WORD)
        return;
    const size_t d = edit_distance(near->word, na, name, nb);
    if (d < near->distance) {
        near->distance = d;
        near->best = name;
    }
}

const char *sc_nearest(const char *word, const char *const *names, size_t n)
{
    sc_near near;
    sc_near_begin(&near, word);
    for (size_t i = 0; i < n; i++)
        sc_near_offer(&near, names[i]);
    return near.best;
}

const char *sc_did_you_mean(char out[SC_SUGGEST_LEN], const char *name)
{
    char shown[SC_SHOWN_LEN];
    out[0] = '\0';
    if (name)
        (void)snprintf(out, SC_SUGGEST_LEN, " (did you mean '%s'?)", sc_text_show(shown, name));
    return out;
}

size_t sc_utf8_span(const char *text, size_t n)
{
    const unsigned char *t = (const unsigned char *)text;
    /* Table 3-7 of the Unicode standard: the first byte fixes the length and the second's range. */
    const unsigned char lead = t[0];
    if (lead < 0x80)
        return 1;
    const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || length > n)
        return 0;
    const unsigned char from = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char to = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (t[1] < from || t[1] > to)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((t[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

static int is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7F;
}

const char *sc_text_show(char out[SC_SHOWN_LEN], const char *text)
{
    const char dots[] = "...";
    const size_t room = SC_SHOWN_LEN - sizeof dots;
    size_t left = strlen(text), used = 0;
    const int cut = left > room;
    while (left > 0) {
        size_t span = sc_utf8_span(text, left);
        const int bad = span == 0 || is_control((unsigned char)*text);
        span = span ? span : 1;
        if (used + span > room)
            break;
        memcpy(out + used, bad ? "?" : text, span);
        used += span;
        text += span;
        left -= span;
    }
    memcpy(out + used, cut ? dots : "", cut ? sizeof dots : 1);
    return out;
}

void sc_text_defuse(char *text, const char *keep)
{
    for (; *text; text++)
        if (is_control((unsigned char)*text) && !strchr(keep, *text))
            *text = '?';
}

bool sc_text_copy(char *out, size_t size, const char *text)
{
    const size_t n = strlen(text);
    size_t keep = n;
    if (size == 0)
        return false;
    if (keep >= size)
        for (keep = size - 1; keep > 0 && ((unsigned char)text[keep] & 0xC0) == 0x80;)
            keep--;
    memcpy(out, text, keep);
    out[keep] = '\0';
    return keep == n;
}

static int one_more(int count)
{
    return count < INT_MAX ? count + 1 : count;
}

sc_place sc_text_place(const char *text, size_t offset)
{
    sc_place p = {1, 1};
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n')
            p = (sc_place){one_more(p.line), 1};
        else if (((unsigned char)text[i] & 0xC0) != 0x80)
            p.column = one_more(p.column);
    }
    return p;
}

size_t sc_text_bad_byte(const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t span = text[i] ? sc_utf8_span(text + i, n - i) : 0;
        if (span == 0)
            return i;
        i += span;
    }
    return n;
}
