#ifndef WORKLOADS_YAML_FORM_H
#define WORKLOADS_YAML_FORM_H
/** The YAML form of a network (docs/formats/workload.md): what its reader and writer share. */
#include "core/yaml.h"
#include "workloads/builder.h"

/** Read a file. @return SC_OK; SC_ENOTFOUND; SC_EPARSE with every error as file:line:column, counts
 *  past 2^63 - 1 among them; SC_EIO; SC_ENOMEM. */
sc_status sc_workload__yaml_open(sc_workload **out, const char *path) SC_MUST_USE;
/** Read a parsed document, which takes the errors. @return SC_OK; SC_EPARSE; SC_ENOMEM. */
sc_status sc_workload__yaml_read(sc_workload **out, const sc_yaml *doc) SC_MUST_USE;

/** What stands under a key of an op. */
typedef enum sc_field_class {
    SC_FIELD_COUNT, /* uint64_t */
    SC_FIELD_FLAG,  /* bool */
    SC_FIELD_AXES /* uint64_t [SC_AXES]: one number or [height, width] or [depth, height, width] */
} sc_field_class;

/** A key of an op that names one member of its sc_op_spec. */
typedef struct sc_field {
    const char *key;
    sc_field_class what;
    uint32_t kinds; /* bit 1 << sc_op_kind: ops that may have it */
    size_t offset;  /* of the member */
    uint64_t least; /* of its numbers */
} sc_field;

enum { SC_FIELDS = 21 };
extern const sc_field sc_fields[SC_FIELDS];

/** Kinds of op with the keys `function`, `padding` and `shape`, which are no plain members. */
extern const uint32_t sc_kinds_with_function, sc_kinds_with_padding, sc_kinds_with_shape;

/** Extents of a tensor by name, in the order of sc_shape. */
enum { SC_EXTENTS = 4 };
extern const char *const sc_extent_names[SC_EXTENTS];

/** Name of a precision: int8, bf16, fp32 for 8, 16, 32 bits; NULL for others. */
const char *sc_precision_name(uint32_t bits);
#endif
