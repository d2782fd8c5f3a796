#include "workloads/yaml_form.h"

#include <stddef.h>

/* Kinds of op as bits of sc_field.kinds. */
#define BIT(kind)  (UINT32_C(1) << (kind))
#define TCONV      BIT(SC_OP_TCONV)
#define DENSE      (BIT(SC_OP_CONV) | TCONV)
#define CONVS      (DENSE | BIT(SC_OP_DWCONV))
#define MATMUL     BIT(SC_OP_MATMUL)
#define PRODUCTS   (BIT(SC_OP_FC) | MATMUL)
#define BMM        BIT(SC_OP_BMM)
#define ADD        BIT(SC_OP_ADD)
#define MUL        BIT(SC_OP_MUL)
#define ACTIVATION BIT(SC_OP_ACTIVATION)
#define POOL       BIT(SC_OP_POOL)
#define RESIZE     BIT(SC_OP_RESIZE)
#define EMBED      BIT(SC_OP_EMBED)
#define RESHAPE    BIT(SC_OP_RESHAPE)

#define AT(member) offsetof(sc_op_spec, member)

const sc_field sc_fields[SC_FIELDS] = {
    {"channels", SC_FIELD_COUNT, CONVS | PRODUCTS | EMBED, AT(channels), 1},
    {"kernel", SC_FIELD_AXES, CONVS | POOL, AT(kernel), 1},
    {"stride", SC_FIELD_AXES, CONVS | POOL, AT(stride), 1},
    {"dilation", SC_FIELD_AXES, CONVS | POOL, AT(dilation), 1},
    {"output_padding", SC_FIELD_AXES, TCONV, AT(output_padding), 0},
    {"groups", SC_FIELD_COUNT, DENSE, AT(groups), 1},
    {"global", SC_FIELD_FLAG, POOL, AT(global), 0},
    {"bias", SC_FIELD_FLAG, CONVS | PRODUCTS, AT(bias), 0},
    {"batch_norm", SC_FIELD_FLAG, CONVS | PRODUCTS, AT(batch_norm), 0},
    {"input_norm", SC_FIELD_FLAG, CONVS | PRODUCTS | POOL, AT(input_norm), 0},
    {"layer_norm", SC_FIELD_FLAG, EMBED, AT(layer_norm), 0},
    {"heads", SC_FIELD_COUNT, BMM, AT(heads), 1},
    {"kv_heads", SC_FIELD_COUNT, BMM, AT(kv_heads), 1},
    {"cache", SC_FIELD_COUNT, BMM, AT(cache), 0},
    {"transpose", SC_FIELD_FLAG, BMM, AT(transpose), 0},
    {"recurrent", SC_FIELD_COUNT, MATMUL, AT(recurrent), 1},
    {"vocabulary", SC_FIELD_COUNT, EMBED, AT(vocabulary), 1},
    {"positions", SC_FIELD_COUNT, EMBED, AT(positions), 0},
    {"types", SC_FIELD_COUNT, EMBED, AT(types), 0},
    {"tokens", SC_FIELD_COUNT, ADD, AT(tokens), 0},
    {"parameters", SC_FIELD_COUNT, ADD | MUL | ACTIVATION, AT(parameters), 0},
};

const uint32_t sc_kinds_with_function = ADD | POOL | RESIZE;
const uint32_t sc_kinds_with_padding = CONVS | POOL;
const uint32_t sc_kinds_with_shape = RESIZE | RESHAPE;

const char *const sc_extent_names[SC_EXTENTS] = {"channels", "depth", "height", "width"};

const char *sc_precision_name(uint32_t bits)
{
    return bits == 8 ? "int8" : bits == 16 ? "bf16" : bits == 32 ? "fp32" : NULL;
}
