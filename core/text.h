#ifndef CORE_TEXT_H
#define CORE_TEXT_H
#include <stdbool.h>
#include <stddef.h>
/** The name nearest to word by edit distance, if near enough to suggest (<= 1/3 of its length, at
 *  least 1); else NULL. */
const char *sc_nearest(const char *word, const char *const *names, size_t n);
/** Copy cut to size, always terminated. @return false if it was cut. */
bool sc_text_copy(char *out, size_t size, const char *text);
#endif
