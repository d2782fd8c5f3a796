#ifndef MODEL_COUNT_REFERENCE_NODE_H
#define MODEL_COUNT_REFERENCE_NODE_H
/** Inside the counting room: what the readers of the reference tool's YAML share. Its dialects
 * write keys with - or _ alike. */
#include "core/yaml.h"
#include "workloads/reference_problem.h" /* sc_reference_same */

/** The value of the first of n names, - and _ alike, that the map has; NULL if none. */
const sc_node *sc_reference_get(const sc_node *map, const char *const *names, size_t n);
/** The same for one name. */
const sc_node *sc_reference_key(const sc_node *map, const char *name);

/** Keys of a map that mean something here, and those that are known and mean nothing. */
typedef struct sc_reference_keys {
    const char *const *used;
    size_t n_used;
    const char *const *idle;
    size_t n_idle;
    bool open; /* users add keys of their own: an unknown one is an error only if it looks mistyped
                */
} sc_reference_keys;

/** Record a warning for every idle key and an error, with a suggestion, for every unknown one; in
 * an open map a warning for those that resemble no used key. */
void sc_reference_check_keys(const sc_node *map, const sc_reference_keys *keys);

/** "name" and the number of copies of "name[0..15]" (16), "name[1..4]" (4) or "name[8]" (8).
 *  @return false after recording: an empty or too long name, a range that is none. */
bool sc_reference_name(char *name, size_t size, uint64_t *copies, const sc_node *n);

/** A whole number >= least. @return false after recording. */
bool sc_reference_count(uint64_t *out, const sc_node *n, uint64_t least);

/** What an expression may name: the scalars of so many maps, the innermost last. NULL is an empty
 *  map. */
enum { SC_REFERENCE_SCOPES = 16 };
typedef struct sc_reference_scope {
    const sc_node *map[SC_REFERENCE_SCOPES];
    unsigned n;
} sc_reference_scope;

/** A number, or an expression over the scope whose names may stand for expressions in turn (`**` is
 *  a power). @return false after recording: no number, an unknown name, one that names itself. */
bool sc_reference_value(double *out, const sc_node *n, const sc_reference_scope *scope);

/** The same where it must be whole and >= least. */
bool sc_reference_whole(uint64_t *out, const sc_node *n, const sc_reference_scope *scope,
                        uint64_t least);

/** Index of the text among names; after recording, with a suggestion, -1. */
int sc_reference_position(const sc_node *n, const char *what, const char (*names)[SC_NAME_LEN],
                          unsigned n_names);
#endif
