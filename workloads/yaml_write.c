/* A network as YAML text that reads back equal. */
#include <inttypes.h>
#include <string.h>

#include "core/buf.h"
#include "core/text.h"
#include "workloads/yaml_form.h"

/* Characters that a quoted YAML scalar may not hold as they are: controls, line and paragraph
 * separators, the byte-order mark and non-characters. */
static bool must_escape(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
           c == 0xFFFE || c == 0xFFFF;
}

static uint32_t decode(const char *text, size_t n)
{
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = (unsigned char)text[0] & lead_bits[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    return c;
}

static void put_quoted(sc_buf *b, const char *text)
{
    const char *end = text + strlen(text);
    sc_buf_puts(b, "\"");
    while (text < end) {
        const size_t n = sc_utf8_span(text, (size_t)(end - text));
        const uint32_t c = n ? decode(text, n) : '?'; /* broken UTF-8 cannot be written */
        if (c == '"' || c == '\\')
            sc_buf_printf(b, "\\%c", (char)c);
        else if (must_escape(c))
            sc_buf_printf(b, "\\u%04" PRIX32, c);
        else
            sc_buf_append(b, n ? text : "?", n ? n : 1);
        text += n ? n : 1;
    }
    sc_buf_puts(b, "\"");
}

static void put_precision(sc_buf *b, uint32_t bits)
{
    const char *name = sc_precision_name(bits);
    if (name)
        sc_buf_puts(b, name);
    else
        sc_buf_printf(b, "%" PRIu32, bits);
}

/* "channels: 3, height: 224": the extents that are not `unstated`. */
static void put_extents(sc_buf *b, const char *before, sc_shape s, uint64_t unstated)
{
    const uint64_t extent[SC_EXTENTS] = {s.c, s.d, s.h, s.w};
    bool any = false;
    for (int i = 0; i < SC_EXTENTS; i++)
        if (extent[i] != unstated) {
            sc_buf_printf(b, "%s%s: %" PRIu64, any ? ", " : before, sc_extent_names[i], extent[i]);
            any = true;
        }
}

static const char *producer_name(const sc_workload *w, int32_t producer)
{
    return producer < 0 ? w->inputs[-1 - producer].name : w->ops[producer].name;
}

static void put_inputs(sc_buf *b, const sc_workload *w, const sc_op_spec *s)
{
    sc_buf_puts(b, ", inputs: [");
    for (size_t i = 0; i < s->n_inputs; i++) {
        const sc_input_ref *ref = &s->inputs[i];
        const char *name = producer_name(w, ref->producer);
        const sc_shape t = ref->take;
        sc_buf_puts(b, i ? ", " : "");
        if (!t.c && !t.d && !t.h && !t.w && !ref->as.c) {
            put_quoted(b, name);
            continue;
        }
        sc_buf_puts(b, "{of: ");
        put_quoted(b, name);
        put_extents(b, ", ", t, 0);
        if (ref->as.c) {
            sc_buf_puts(b, ", as: {");
            put_extents(b, "", ref->as, 0);
            sc_buf_puts(b, "}");
        }
        sc_buf_puts(b, "}");
    }
    sc_buf_puts(b, "]");
}

static void put_axes(sc_buf *b, const uint64_t a[SC_AXES], uint64_t unstated)
{
    sc_buf_puts(b, "[");
    for (int i = a[SC_DEPTH] ? SC_DEPTH : SC_HEIGHT; i < SC_AXES; i++)
        sc_buf_printf(b, "%" PRIu64 "%s", a[i] ? a[i] : unstated, i < SC_WIDTH ? ", " : "]");
}

static void put_field(sc_buf *b, const sc_op_spec *s, const sc_field *f)
{
    const char *member = (const char *)s + f->offset;
    uint64_t v[SC_AXES] = {0};
    bool flag = false;
    switch (f->what) {
    case SC_FIELD_COUNT:
        memcpy(v, member, sizeof v[0]);
        if (v[0])
            sc_buf_printf(b, ", %s: %" PRIu64, f->key, v[0]);
        break;
    case SC_FIELD_FLAG:
        memcpy(&flag, member, sizeof flag);
        if (flag)
            sc_buf_printf(b, ", %s: true", f->key);
        break;
    case SC_FIELD_AXES:
        memcpy(v, member, sizeof v);
        if (v[SC_DEPTH] || v[SC_HEIGHT] || v[SC_WIDTH]) {
            sc_buf_printf(b, ", %s: ", f->key);
            put_axes(b, v, f->least);
        }
        break;
    }
}

static void put_padding(sc_buf *b, const sc_op_spec *s)
{
    bool padded = false;
    for (int i = 0; i < 2 * SC_AXES; i++)
        padded = padded || s->pad[i];
    if (s->padding == SC_PAD_SAME) {
        sc_buf_puts(b, ", padding: same");
    } else if (s->padding == SC_PAD_VALID) {
        sc_buf_puts(b, ", padding: valid");
    } else if (padded) {
        sc_buf_puts(b, ", padding: [");
        for (int i = 0; i < 2 * SC_AXES; i++)
            sc_buf_printf(b, "%s%" PRIu64, i ? ", " : "", s->pad[i]);
        sc_buf_puts(b, "]");
    }
}

static void put_op(sc_buf *b, const sc_workload *w, const sc_op *op)
{
    const sc_op_spec *s = op->spec;
    const uint32_t kind = UINT32_C(1) << s->kind;
    sc_buf_puts(b, "  - {name: ");
    put_quoted(b, op->name);
    sc_buf_printf(b, ", kind: %s", sc_op_word(op));
    if (kind & sc_kinds_with_function && op->function[0])
        sc_buf_printf(b, ", function: %s", op->function);
    put_inputs(b, w, s);
    for (int i = 0; i < SC_FIELDS; i++)
        if (kind & sc_fields[i].kinds)
            put_field(b, s, &sc_fields[i]);
    if (kind & sc_kinds_with_padding)
        put_padding(b, s);
    if (kind & sc_kinds_with_shape) {
        sc_buf_puts(b, ", shape: {");
        put_extents(b, "", s->shape, 0);
        sc_buf_puts(b, "}");
    }
    if (s->bits) {
        sc_buf_puts(b, ", precision: ");
        put_precision(b, s->bits);
    }
    sc_buf_puts(b, "}\n");
}

sc_status sc_workload_yaml(char **out, const sc_workload *w)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_puts(&b, "version: 1\nname: ");
    put_quoted(&b, w->name);
    sc_buf_printf(&b, "\nbatch: %" PRIu64 "\nprecision: ", w->batch);
    put_precision(&b, w->bits);
    sc_buf_puts(&b, "\ninputs:\n");
    for (size_t i = 0; i < w->n_inputs; i++) {
        sc_buf_puts(&b, "  ");
        put_quoted(&b, w->inputs[i].name);
        sc_buf_puts(&b, ": {");
        put_extents(&b, "", w->inputs[i].shape, 1);
        sc_buf_puts(&b, "}\n");
    }
    sc_buf_puts(&b, "ops:\n");
    for (size_t i = 0; i < w->n_ops; i++)
        put_op(&b, w, &w->ops[i]);
    return sc_buf_take(&b, out);
}
