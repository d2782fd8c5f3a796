#include "workloads/yaml_form.h"

#include <stddef.h>

#define CONVS      (UINT32_C(1) << SC_OP_CONV | UINT32_C(1) << SC_OP_DWCONV | UINT32_C(1) << SC_OP_TCONV)
#define PRODUCTS   (UINT32_C(1) << SC_OP_FC | UINT32_C(1) << SC_OP_MATMUL)
#define BMM        (UINT32_C(1) << SC_OP_BMM)
#define ADD        (UINT32_C(1) << SC_OP_ADD)
#define POOL       (UINT32_C(1) << SC_OP_POOL)
#define RESIZE     (UINT32_C(1) << SC_OP_RESIZE)
#define EMBED      (UINT32_C(1) << SC_OP_EMBED)
#define RESHAPE    (UINT32_C(1) << SC_OP_RESHAPE)
#define AT(member) offsetof(sc_op_spec, member)

const sc_field sc_fields[SC_FIELDS] = {
    {"channels", SC_FIELD_COUNT, AT(channels), 1, CONVS | PRODUCTS | EMBED},
    {"kernel", SC_FIELD_AXES, AT(kernel), 1, CONVS | POOL},
    {"stride", SC_FIELD_AXES, AT(stride), 1, CONVS | POOL},
    {"dilation", SC_FIELD_AXES, AT(dilation), 1, CONVS | POOL},
    {"output_padding", SC_FIELD_AXES, AT(output_padding), 0, UINT32_C(1) << SC_OP_TCONV},
    {"groups", SC_FIELD_COUNT, AT(groups), 1,
     UINT32_C(1) << SC_OP_CONV | UINT32_C(1) << SC_OP_TCONV},
    {"global", SC_FIELD_FLAG, AT(global), 0, POOL},
    {"bias", SC_FIELD_FLAG, AT(bias), 0, CONVS | PRODUCTS},
    {"batch_norm", SC_FIELD_FLAG, AT(batch_norm), 0, CONVS | PRODUCTS},
    {"input_norm", SC_FIELD_FLAG, AT(input_norm), 0, CONVS | PRODUCTS | POOL},
    {"layer_norm", SC_FIELD_FLAG, AT(layer_norm), 0, EMBED},
    {"heads", SC_FIELD_COUNT, AT(heads), 1, BMM},
    {"kv_heads", SC_FIELD_COUNT, AT(kv_heads), 1, BMM},
    {"cache", SC_FIELD_COUNT, AT(cache), 0, BMM},
    {"transpose", SC_FIELD_FLAG, AT(transpose), 0, BMM},
    {"recurrent", SC_FIELD_COUNT, AT(recurrent), 1, UINT32_C(1) << SC_OP_MATMUL},
    {"vocabulary", SC_FIELD_COUNT, AT(vocabulary), 1, EMBED},
    {"positions", SC_FIELD_COUNT, AT(positions), 0, EMBED},
    {"types", SC_FIELD_COUNT, AT(types), 0, EMBED},
    {"tokens", SC_FIELD_COUNT, AT(tokens), 0, ADD},
};

const uint32_t sc_kinds_with_function = ADD | POOL | RESIZE;
const uint32_t sc_kinds_with_padding = CONVS | POOL;
const uint32_t sc_kinds_with_shape = RESIZE | RESHAPE;

const char *const sc_extent_names[SC_EXTENTS] = {"channels", "depth", "height", "width"};

const char *sc_precision_name(uint32_t bits)
{
    return bits == 8 ? "int8" : bits == 16 ? "bf16" : bits == 32 ? "fp32" : NULL;
}
