#ifndef MODEL_ARCH_DIGEST_H
#define MODEL_ARCH_DIGEST_H
#include "core/buf.h"
#include "core/yaml.h"

/**
 * Append a text that names what a document means: structure, keys and scalars, without layout,
 * comments and what is only told to people (name, about, source, published). Equal texts, equal
 * meaning; used to hash templates and technology tables.
 */
void sc_yaml__digest(sc_buf *out, const sc_node *n);
#endif
