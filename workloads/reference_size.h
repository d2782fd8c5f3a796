#ifndef WORKLOADS_REFERENCE_SIZE_H
#define WORKLOADS_REFERENCE_SIZE_H
/** Inside the workloads' room: sizes in problems of the reference tool. */
#include "core/yaml.h"

/**
 * A whole number of at least so much, written out, as the name of a macro, or as an expression over
 * macros that are numbers (`**` is a power).
 * @param macros  a map from names to numbers, of any document; NULL if there is none.
 * @return false after recording, at n or at the macro that it names.
 */
bool sc_reference_size(int64_t *out, const sc_node *macros, const sc_node *n, int64_t least);
#endif
