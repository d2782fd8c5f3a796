#ifndef PLACEMENT_NAME_TABLE_H
#define PLACEMENT_NAME_TABLE_H
/** Names of a netlist by hash: each to the number it was entered with. Texts are borrowed. */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

#define SC_NAME_NONE UINT32_MAX

typedef struct sc_name_table {
    const char **key; /* [n_slots] NULL = empty */
    uint32_t *value;  /* [n_slots] */
    size_t n_slots;   /* a power of two, over twice the names */
} sc_name_table;

/** Room for that many names. @return SC_OK; SC_ENOMEM; SC_ERANGE over 2^30 names. */
sc_status sc_name_table_init(sc_name_table *t, size_t most) SC_MUST_USE;
void sc_name_table_clear(sc_name_table *t);
/** Enter a name. @return SC_NAME_NONE; the number of the same name if it was there, which stays. */
uint32_t sc_name_table_add(sc_name_table *t, const char *name, uint32_t value);
/** Number of a name; SC_NAME_NONE if it was never entered. */
uint32_t sc_name_table_find(const sc_name_table *t, const char *name);
#endif
