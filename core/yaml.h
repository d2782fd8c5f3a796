#ifndef CORE_YAML_H
#define CORE_YAML_H
/**
 * YAML as a read-only tree whose nodes know their line and column. Built on libyaml's event API
 * with caps on size, depth, aliases and nodes; duplicate keys are errors with both places;
 * multi-document input is refused.
 *
 * Readers below record what is wrong with the document and go on, so that one run reports every
 * error: call sc_yaml_status() at the end. Each recorded line reads
 * `file:line:column: error: what is wrong (did you mean 'x'?)`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/units.h"
#include "scantle/error.h"

typedef struct sc_yaml sc_yaml;
typedef struct sc_node sc_node; /* borrowed; lives as long as its document */

typedef enum sc_node_kind { SC_NODE_SCALAR, SC_NODE_SEQUENCE, SC_NODE_MAP } sc_node_kind;

/** Read a file ("-" is not special). Gzip is read too. @return SC_OK; SC_EPARSE; the statuses of
 *  sc_file_read(): SC_ENOTFOUND, SC_EIO; SC_ENOMEM. */
sc_status sc_yaml_open(sc_yaml **out, const char *path) SC_MUST_USE;
/** Parse a text; name stands in messages. */
sc_status sc_yaml_parse(sc_yaml **out, const char *name, const char *text, size_t n) SC_MUST_USE;
void sc_yaml_close(sc_yaml *y); /* NULL is fine */
const sc_node *sc_yaml_root(const sc_yaml *y);
/** Fill in defaults: in every map that has the key, what the map (or each map of the list) under it
 *  holds is put behind its own pairs, and the key goes. Maps that stand on both sides are merged in
 * the same way and lists joined, own items first, unless the own one has the tag !nomerge; else the
 *  own value stays. Places stay those of the text. Call it before anything else reads the tree.
 *  @return SC_OK; SC_EPARSE, recorded too, for a value of another kind or a tree past the caps;
 *          SC_ENOMEM. */
sc_status sc_yaml_merge_deep(sc_yaml *y, const char *key) SC_MUST_USE;
const char *sc_yaml_name(const sc_yaml *y);

/* Getters take NULL as an empty scalar at 0:0, so that what an absent key gave can be passed on. */
sc_node_kind sc_node_kind_of(const sc_node *n);
int sc_node_line(const sc_node *n);         /* 1-based */
int sc_node_column(const sc_node *n);       /* 1-based, characters */
const char *sc_node_tag(const sc_node *n);  /* "" unless written, e.g. "!Container" */
const char *sc_node_text(const sc_node *n); /* scalar text, "" for others */
size_t sc_node_count(const sc_node *n);     /* children of a sequence or map, 0 for a scalar */
const sc_node *sc_node_item(const sc_node *n, size_t i); /* i-th value of a sequence or map */
const char *sc_node_key(const sc_node *map, size_t i);
const sc_node *sc_node_key_node(const sc_node *map, size_t i);   /* for the key's own place */
const sc_node *sc_node_get(const sc_node *map, const char *key); /* NULL if absent or no map */
bool sc_node_is_null(const sc_node *n);                          /* empty, ~ or null, not quoted */

/** Record an error or a warning (kept apart) at a node. */
void sc_node_error(const sc_node *at, const char *fmt, ...) SC_PRINTF(2, 3);
/** The same at a byte offset inside a scalar's text. */
void sc_node_error_at(const sc_node *at, size_t offset, const char *fmt, ...) SC_PRINTF(3, 4);
void sc_node_warning(const sc_node *at, const char *fmt, ...) SC_PRINTF(2, 3);
/** Record a failure that is not the document's (out of memory): sc_yaml_status() then returns it.
 */
void sc_node_fail(const sc_node *at, sc_status s);
/** SC_OK, or SC_EPARSE with every recorded error (the first 20, then a count) as the message. */
sc_status sc_yaml_status(const sc_yaml *y) SC_MUST_USE;
const char *sc_yaml_warnings(const sc_yaml *y); /* one a line, "" if none */

/* Typed access. Each returns false after recording an error; *out is then untouched. Readers of a
 * key record its absence at the map's own place; with a `fallback` an absent key gives that value.
 * A NULL node or map gives false and records nothing: whatever gave NULL has recorded it. */
bool sc_node_number(double *out, const sc_node *n, sc_unit unit);
bool sc_node_integer(int64_t *out, const sc_node *n); /* exact; 20 digits or 1e999 are errors */
bool sc_node_bool(bool *out, const sc_node *n);       /* true/false/yes/no/on/off */
/** Index of the scalar's text among names; an unknown one is recorded with a suggestion. */
bool sc_node_choice(size_t *out, const sc_node *n, const char *const *names, size_t n_names);
bool sc_map_number(double *out, const sc_node *map, const char *key, sc_unit unit);
bool sc_map_number_or(double *out, const sc_node *map, const char *key, sc_unit unit,
                      double fallback);
bool sc_map_integer(int64_t *out, const sc_node *map, const char *key);
bool sc_map_integer_or(int64_t *out, const sc_node *map, const char *key, int64_t fallback);
bool sc_map_text(const char **out, const sc_node *map, const char *key);
const char *sc_map_text_or(const sc_node *map, const char *key, const char *fallback);
bool sc_map_choice(size_t *out, const sc_node *map, const char *key, const char *const *names,
                   size_t n_names);
bool sc_map_choice_or(size_t *out, const sc_node *map, const char *key, const char *const *names,
                      size_t n_names, size_t fallback);
bool sc_map_bool(bool *out, const sc_node *map, const char *key);
bool sc_map_bool_or(bool *out, const sc_node *map, const char *key, bool fallback);
/** The value under key, of any kind; NULL after recording its absence. */
const sc_node *sc_map_node(const sc_node *map, const char *key);
/** The value under key if it is of that kind; NULL after recording otherwise. */
const sc_node *sc_map_sequence(const sc_node *map, const char *key);
const sc_node *sc_map_map(const sc_node *map, const char *key);
/** Record every key of map that is not among allowed, with a suggestion. Also records if n is no
 * map. */
bool sc_map_only(const sc_node *map, const char *const *allowed, size_t n_allowed);
/** Check the `version: N` every scantle file carries. */
bool sc_map_version(const sc_node *root, int64_t wanted);
#endif
