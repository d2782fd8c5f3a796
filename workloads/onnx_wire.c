#include "workloads/onnx_wire.h"

#include <inttypes.h>
#include <onnx/onnx.pb-c.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/text.h"

enum {
    MOST_FIELDS = 32,               /* of one message of the schema */
    VARINT_BYTES = 10,              /* longest integer */
    LENGTH_BYTES = 5,               /* a length written with room, filled in when it is known */
    PAYLOAD = 8 * SC_ONNX_ELEMENTS, /* bytes of data kept */
    PATH_LEN = 240,
    OVERHEAD = 96, /* of one field while it is decoded: its record, its pointer, alignment */
};

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

typedef ProtobufCMessageDescriptor message_type;
typedef ProtobufCFieldDescriptor field_type;

/** One message that is open. */
typedef struct frame {
    const message_type *type;
    const field_type *field; /* of the message around it; NULL at the top */
    uint32_t index;          /* among that field's occurrences */
    uint64_t end;            /* offset in the source */
    size_t body;             /* offset of its copy */
    uint32_t seen[MOST_FIELDS];
} frame;

typedef struct scan {
    sc_onnx_source *source;
    uint64_t at, decoded;
    sc_buf out;
    size_t depth; /* frames open */
    frame open[SC_ONNX_DEPTH];
} scan;

/* "graph.node[3].attribute[0].g" */
static void write_path(char *out, const scan *s)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 1; i < s->depth && used < PATH_LEN - 1; i++) {
        const frame *f = &s->open[i];
        const int n =
            f->field->label == PROTOBUF_C_LABEL_REPEATED
                ? snprintf(out + used, PATH_LEN - used, "%s%s[%" PRIu32 "]", i > 1 ? "." : "",
                           f->field->name, f->index)
                : snprintf(out + used, PATH_LEN - used, "%s%s", i > 1 ? "." : "", f->field->name);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used >= PATH_LEN)
        memcpy(out + PATH_LEN - 4, "...", 4);
    if (!out[0])
        memcpy(out, "the model", sizeof "the model");
}

static sc_status bad(const scan *s, const char *what)
{
    char path[PATH_LEN];
    write_path(path, s);
    return sc_fail(SC_EPARSE, "%s: error: in %s, at byte %" PRIu64 ": %s", s->source->name, path,
                   s->at, what);
}

/* n bytes at the place of the scan, all of which exist. */
static sc_status look(const uint8_t **out, scan *s, size_t n)
{
    sc_onnx_source *from = s->source;
    if (from->bytes) {
        *out = from->bytes + s->at;
        return SC_OK;
    }
    if (s->at < from->window_start || s->at + n > from->window_start + from->window_size) {
        const uint64_t rest = from->size - s->at;
        const size_t fill = rest < SC_ONNX_WINDOW ? (size_t)rest : SC_ONNX_WINDOW;
        from->window_size = 0;
        const sc_status st = sc_file_read_at(from->window, fill, from->fd, s->at, from->name);
        if (st != SC_OK)
            return st;
        from->window_start = s->at;
        from->window_size = fill;
    }
    *out = from->window + (s->at - from->window_start);
    return SC_OK;
}

static frame *top(scan *s)
{
    return &s->open[s->depth - 1];
}

static uint64_t left(scan *s)
{
    return top(s)->end - s->at;
}

static sc_status read_varint(uint64_t *out, scan *s)
{
    const uint64_t rest = left(s);
    const size_t most = rest < VARINT_BYTES ? (size_t)rest : VARINT_BYTES;
    const uint8_t *p = NULL;
    uint64_t v = 0;
    sc_status st = look(&p, s, most);
    if (st != SC_OK)
        return st;
    for (size_t i = 0; i < most; i++) {
        v |= (uint64_t)(p[i] & 0x7F) << (7 * i);
        if (!(p[i] & 0x80)) {
            s->at += i + 1;
            *out = v;
            return SC_OK;
        }
    }
    return bad(s,
               most < VARINT_BYTES ? "the file is cut short, or no ONNX model" : "no ONNX model");
}

static void put_varint(sc_buf *b, uint64_t v)
{
    char bytes[VARINT_BYTES];
    size_t n = 0;
    do {
        bytes[n] = (char)(v & 0x7F);
        v >>= 7;
        if (v)
            bytes[n] = (char)(bytes[n] | (char)0x80);
        n++;
    } while (v);
    sc_buf_append(b, bytes, n);
}

/* Fill in a length that was left open: always LENGTH_BYTES, its higher bytes may be 0. */
static void close_length(sc_buf *b, size_t body)
{
    uint64_t v = b->length - body;
    if (b->status != SC_OK)
        return;
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        const uint64_t more = i + 1 < LENGTH_BYTES ? 0x80 : 0;
        b->text[body - LENGTH_BYTES + i] = (char)((v & 0x7F) | more);
        v >>= 7;
    }
}

static sc_status copy(scan *s, uint64_t n)
{
    while (n) {
        const size_t part = n < SC_ONNX_WINDOW ? (size_t)n : SC_ONNX_WINDOW;
        const uint8_t *p = NULL;
        const sc_status st = look(&p, s, part);
        if (st != SC_OK)
            return st;
        sc_buf_append(&s->out, (const char *)p, part);
        s->at += part;
        n -= part;
    }
    return SC_OK;
}

static bool is_payload(const message_type *m, const field_type *f)
{
    static const char *const names[] = {"float_data", "int32_data",  "int64_data",
                                        "raw_data",   "double_data", "uint64_data"};
    if (m != &onnx__tensor_proto__descriptor)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(f->name, names[i]) == 0)
            return true;
    return false;
}

/* Fields that an importer never reads. */
static bool is_idle(const field_type *f)
{
    static const char *const names[] = {"doc_string",    "training_info", "metadata_props",
                                        "external_data", "string_data",   "quantization_annotation",
                                        "denotation"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(f->name, names[i]) == 0)
            return true;
    return false;
}

static enum wire wire_of(const field_type *f)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32: return WIRE_32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: return WIRE_64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
    default: return WIRE_VARINT;
    }
}

/* Account for what the decoder will allocate. */
static sc_status reserve(scan *s, uint64_t bytes)
{
    s->decoded += bytes + OVERHEAD;
    if (s->decoded > (uint64_t)SC_ONNX_DECODED_MIB << 20 || s->out.length > (size_t)SC_ONNX_KEPT_MIB
                                                                                << 20)
        return bad(s, "the graph is larger than an importer takes (weights left out)");
    return s->out.status;
}

static sc_status enter(scan *s, const message_type *type, const field_type *field, uint64_t length)
{
    if (type->n_fields > MOST_FIELDS)
        return sc_fail(SC_EBUG, "%s of ONNX's schema has more fields than expected", type->name);
    if (s->depth == SC_ONNX_DEPTH)
        return bad(s, "nested too deeply (more than 64 levels)");
    const uint32_t index = field ? top(s)->seen[field - top(s)->type->fields] - 1 : 0;
    frame *f = &s->open[s->depth++];
    *f = (frame){.type = type, .field = field, .index = index, .end = s->at + length};
    f->body = s->out.length;
    return reserve(s, type->sizeof_message);
}

/* One value that is no message, whose bytes follow. */
static sc_status take_plain(scan *s, const field_type *f, uint32_t id, enum wire wire,
                            uint64_t length)
{
    const frame *in = top(s);
    const bool payload = is_payload(in->type, f);
    const bool keep =
        !is_idle(f) &&
        !(payload && (length > PAYLOAD || in->seen[f - in->type->fields] > SC_ONNX_ELEMENTS));
    if (!keep) {
        s->at += length;
        return SC_OK;
    }
    if (f->type == PROTOBUF_C_TYPE_STRING && length > SC_ONNX_NAME_BYTES)
        return bad(s, "a name of more than 4096 bytes");
    /* packed numbers of a byte each become eight */
    const bool packed = wire == WIRE_BYTES && wire_of(f) != WIRE_BYTES;
    const sc_status st = reserve(s, packed ? 8 * length : length);
    if (st != SC_OK)
        return st;
    put_varint(&s->out, (uint64_t)id << 3 | wire);
    if (wire == WIRE_BYTES)
        put_varint(&s->out, length);
    return copy(s, length);
}

static sc_status take_varint(scan *s, const field_type *f, uint32_t id)
{
    uint64_t v;
    const uint64_t start = s->at;
    const sc_status st = read_varint(&v, s);
    if (st != SC_OK)
        return st;
    const uint64_t n = s->at - start;
    s->at = start;
    return take_plain(s, f, id, WIRE_VARINT, n);
}

static sc_status check_field(scan *s, const field_type *f, enum wire wire)
{
    frame *in = top(s);
    const bool repeated = f->label == PROTOBUF_C_LABEL_REPEATED;
    const enum wire own = wire_of(f);
    char text[96];
    if (wire != own && !(repeated && wire == WIRE_BYTES)) {
        (void)snprintf(text, sizeof text, "field '%s' is of another type than in ONNX's schema",
                       f->name);
        return bad(s, text);
    }
    if (++in->seen[f - in->type->fields] > 1 && !repeated) {
        (void)snprintf(text, sizeof text, "field '%s' stands twice", f->name);
        return bad(s, text);
    }
    return SC_OK;
}

static sc_status cut_short(const scan *s, uint64_t wanted, uint64_t there)
{
    char text[128];
    (void)snprintf(text, sizeof text,
                   "the file is cut short, or no ONNX model: %" PRIu64 " bytes wanted, %" PRIu64
                   " are there",
                   wanted, there);
    return bad(s, text);
}

/* What follows a tag of an unknown field (f NULL), or one that is read. */
static sc_status take_field(scan *s, const field_type *f, uint32_t id, enum wire wire)
{
    uint64_t length = wire == WIRE_64 ? 8 : wire == WIRE_32 ? 4 : 0, skipped;
    sc_status st = f ? check_field(s, f, wire) : SC_OK;
    if (st != SC_OK)
        return st;
    if (wire == WIRE_VARINT)
        return f ? take_varint(s, f, id) : read_varint(&skipped, s);
    if (wire == WIRE_BYTES && (st = read_varint(&length, s)) != SC_OK)
        return st;
    if (length > left(s))
        return cut_short(s, length, left(s));
    if (!f) {
        s->at += length;
        return SC_OK;
    }
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
        return take_plain(s, f, id, wire, length);
    if (is_idle(f)) { /* not even looked into */
        s->at += length;
        return SC_OK;
    }
    put_varint(&s->out, (uint64_t)id << 3 | WIRE_BYTES);
    sc_buf_append(&s->out, "\0\0\0\0\0", LENGTH_BYTES);
    return enter(s, f->descriptor, f, length);
}

static sc_status step(scan *s)
{
    uint64_t tag;
    frame *f = top(s);
    if (s->at == f->end) {
        if (s->depth > 1)
            close_length(&s->out, f->body);
        s->depth--;
        return SC_OK;
    }
    const sc_status st = read_varint(&tag, s);
    if (st != SC_OK)
        return st;
    const uint64_t id = tag >> 3;
    const enum wire wire = (enum wire)(tag & 7);
    if (id == 0 || id >> 29 ||
        (wire != WIRE_VARINT && wire != WIRE_64 && wire != WIRE_BYTES && wire != WIRE_32))
        return bad(s, "no ONNX model");
    return take_field(s, protobuf_c_message_descriptor_get_field(f->type, (unsigned)id),
                      (uint32_t)id, wire);
}

sc_status sc_onnx_strip(char **out, size_t *length, sc_onnx_source *source)
{
    scan s = {.source = source};
    sc_buf_init(&s.out);
    sc_status st = enter(&s, &onnx__model_proto__descriptor, NULL, source->size);
    while (st == SC_OK && s.depth)
        st = step(&s);
    const size_t n = s.out.length;
    if (st == SC_OK && (st = sc_buf_take(&s.out, out)) == SC_OK)
        *length = n;
    sc_buf_clear(&s.out);
    return st;
}
