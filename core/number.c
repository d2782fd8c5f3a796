#include "core/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/locale.h"
#include "core/text.h"

enum { LONGEST_NUMBER = 400 };

static size_t digits(const char *text)
{
    size_t n = 0;
    while (text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

static size_t sign(const char *text)
{
    return *text == '+' || *text == '-';
}

size_t sc_number_span(const char *text)
{
    size_t n = sign(text);
    const size_t whole = digits(text + n);
    n += whole;
    const size_t part = text[n] == '.' ? digits(text + n + 1) : 0;
    if (whole + part == 0)
        return 0;
    if (text[n] == '.')
        n += 1 + part;
    if (text[n] == 'e' || text[n] == 'E') {
        const size_t marks = 1 + sign(text + n + 1);
        const size_t exponent = digits(text + n + marks);
        if (exponent > 0)
            n += marks + exponent;
    }
    return n;
}

static double to_double(const char *text)
{
    const sc_locale locale = sc_locale_enter_c();
    const double v = strtod(text, NULL);
    sc_locale_leave(locale);
    return v;
}

/* Whether an integer literal keeps every digit as a double: compared as text, so that no length of
 * literal overflows anything. */
static bool exact_integer(const char *literal, double v)
{
    char back[LONGEST_NUMBER];
    literal += sign(literal);
    literal += strspn(literal, "0");
    (void)snprintf(back, sizeof back, "%.0f", fabs(v));
    return strcmp(*literal ? literal : "0", back) == 0;
}

/* Split "1.5e3" into its digits and its exponent, the latter held to a range that strtod turns into
 * an overflow or an underflow anyway. */
static long take_exponent(char *number)
{
    char *e = strpbrk(number, "eE");
    if (!e)
        return 0;
    const long exponent = strtol(e + 1, NULL, 10);
    *e = '\0';
    return exponent > 99999 ? 99999 : exponent < -99999 ? -99999 : exponent;
}

sc_status sc_number_read(double *out, const char *text, size_t n, int exp10)
{
    char number[LONGEST_NUMBER + 32], shown[SC_SHOWN_LEN];
    if (n == 0 || n > LONGEST_NUMBER)
        return sc_fail(SC_EINVAL, "a number of %zu digits is too long", n);
    memcpy(number, text, n);
    number[n] = '\0';
    (void)sc_text_show(shown, number);
    const bool integer = n == sign(number) + digits(number + sign(number));
    if (integer && !exact_integer(number, to_double(number)))
        return sc_fail(SC_EINVAL,
                       "%s has more digits than can be held exactly (write 1.5e20 if an "
                       "approximation will do)",
                       shown);
    const long exponent = take_exponent(number) + exp10;
    const bool zero = strpbrk(number, "123456789") == NULL;
    (void)snprintf(number + strlen(number), 16, "e%ld", exponent);
    const double v = to_double(number);
    if (!isfinite(v))
        return sc_fail(SC_EINVAL, "%s is too large a number", shown);
    if (v == 0.0 && !zero)
        return sc_fail(SC_EINVAL, "%s is too small a number", shown);
    *out = v;
    return SC_OK;
}

sc_status sc_integer_read(int64_t *out, const char *text)
{
    char shown[SC_SHOWN_LEN];
    (void)sc_text_show(shown, text);
    const size_t n = strlen(text);
    if (n == 0 || sc_number_span(text) != n)
        return sc_fail(SC_EINVAL, "'%s' is not a whole number", shown);
    if (n == sign(text) + digits(text + sign(text))) {
        errno = 0;
        const long long v = strtoll(text, NULL, 10);
        if (errno == ERANGE)
            return sc_fail(SC_EINVAL, "%s does not fit in 64 bits", shown);
        *out = v;
        return SC_OK;
    }
    double v = 0.0;
    const sc_status st = sc_number_read(&v, text, n, 0);
    if (st != SC_OK)
        return st;
    if (v != floor(v))
        return sc_fail(SC_EINVAL, "%s is not a whole number", shown);
    if (fabs(v) > 0x1p53)
        return sc_fail(SC_EINVAL, "%s is too large: write all digits of a whole number past 2^53",
                       shown);
    *out = (int64_t)v;
    return SC_OK;
}

void sc_double_text(char *out, size_t size, double v)
{
    if (!isfinite(v)) {
        (void)sc_text_copy(out, size, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
        return;
    }
    /* Any 15 digits survive a normal double and 17 always name it; a subnormal holds fewer. */
    const int first = fabs(v) < DBL_MIN ? 1 : DBL_DIG;
    const sc_locale locale = sc_locale_enter_c();
    for (int precision = first; precision <= DBL_DECIMAL_DIG; precision++) {
        (void)snprintf(out, size, "%.*g", precision, v);
        if (strtod(out, NULL) == v)
            break;
    }
    sc_locale_leave(locale);
}
