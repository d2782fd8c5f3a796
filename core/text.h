#ifndef CORE_TEXT_H
#define CORE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

#include "scantle/text.h" /* sc_nearest */
/** Copy cut to size, always terminated. @return false if it was cut. */
bool sc_text_copy(char *out, size_t size, const char *text);
#endif
