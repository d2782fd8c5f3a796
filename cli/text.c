#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "scantle/text.h"

/* Code point of the well-formed UTF-8 character of 1 to 4 bytes. */
static uint32_t decode(const char *text, size_t length)
{
    static const unsigned char lead_bits[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code = (unsigned char)text[0] & lead_bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3Fu);
    return code;
}

static bool in_ranges(uint32_t code, const uint32_t (*ranges)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

#define IN(code, ranges) in_ranges(code, ranges, sizeof(ranges) / sizeof *(ranges))

/* Characters a terminal acts on or that reorder what is read: C0, DEL, C1, line and paragraph
 * separators, direction marks, overrides and isolates, the byte-order mark. */
static bool is_active(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x200E, 0x200F},
                                         {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};
    return IN(code, ranges);
}

/* East Asian wide blocks and pictographs. */
static bool is_wide(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                         {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
    return IN(code, ranges);
}

/* Combining marks and joiners: no column of their own. */
static bool is_zero_width(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                         {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
    return IN(code, ranges);
}

/* How a character that may not reach the terminal is shown; broken: a byte outside UTF-8. */
static size_t escape(char out[16], uint32_t code, bool broken)
{
    int n = !broken && code == '\n'   ? snprintf(out, 16, "\\n")
            : !broken && code == '\t' ? snprintf(out, 16, "\\t")
            : broken || code < 0x80   ? snprintf(out, 16, "\\x%02x", (unsigned)code)
                                      : snprintf(out, 16, "\\u%04x", (unsigned)code);
    return n > 0 ? (size_t)n : 0;
}

/* Walk over text; writes where out is not NULL. @return columns. */
static size_t walk(FILE *out, const char *text, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n;) {
        size_t length = sc_utf8_span(text + i, n - i);
        uint32_t code = length != 0 ? decode(text + i, length) : (unsigned char)text[i];
        char shown[16];
        if (length == 0 || is_active(code)) {
            columns += escape(shown, code, length == 0);
            if (out != NULL)
                fputs(shown, out);
        } else {
            columns += is_zero_width(code) ? 0 : is_wide(code) ? 2 : 1;
            if (out != NULL)
                fwrite(text + i, 1, length, out);
        }
        i += length != 0 ? length : 1;
    }
    return columns;
}

void sc_cli_put_safe(FILE *out, const char *text)
{
    (void)walk(out, text, strlen(text));
}

void sc_cli_put_safe_n(FILE *out, const char *text, size_t n)
{
    (void)walk(out, text, n);
}

size_t sc_cli_width(const char *text)
{
    return walk(NULL, text, strlen(text));
}

void sc_cli_put_blanks(FILE *out, size_t n)
{
    while (n-- > 0)
        fputc(' ', out);
}

void sc_cli_put_wrapped(FILE *out, const char *text, size_t column, size_t indent, size_t right)
{
    bool fresh = true; /* no word on this line yet */
    while (*text != '\0') {
        if (*text == '\n' || *text == ' ') {
            if (*text == '\n') {
                fputc('\n', out);
                if (text[1] != '\n')
                    sc_cli_put_blanks(out, indent);
                column = indent;
                fresh = true;
            }
            text++;
            continue;
        }
        size_t n = strcspn(text, " \n");
        if (!fresh && column + 1 + n > right) {
            fputc('\n', out);
            sc_cli_put_blanks(out, indent);
            column = indent;
            fresh = true;
        }
        if (!fresh) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, n, out);
        column += n;
        fresh = false;
        text += n;
    }
}
