#include "core/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/locale.h"
#include "core/number.h"
#include "core/text.h"

/* One unit is 10^ten * 2^two * times base units: the power of ten joins the number's own exponent
 * before the one rounding, the power of two is exact. */
typedef struct unit {
    const char *name;
    int ten, two;
    double times; /* 0 where it is 1 */
} unit;

typedef struct unit_kind {
    const char *what;
    const unit *units; /* ends with a NULL name */
} unit_kind;

static const unit plain_units[] = {
    {"Ki", 0, 10, 0}, {"Mi", 0, 20, 0}, {"Gi", 0, 30, 0}, {"Ti", 0, 40, 0}, {NULL, 0, 0, 0}};
static const unit byte_units[] = {
    {"B", 0, 0, 0},      {"kB", 3, 0, 0},     {"MB", 6, 0, 0},    {"GB", 9, 0, 0},
    {"TB", 12, 0, 0},    {"KiB", 0, 10, 0},   {"MiB", 0, 20, 0},  {"GiB", 0, 30, 0},
    {"TiB", 0, 40, 0},   {"Ki", 0, 10, 0},    {"Mi", 0, 20, 0},   {"Gi", 0, 30, 0},
    {"Ti", 0, 40, 0},    {"bit", 0, -3, 0},   {"kbit", 3, -3, 0}, {"Mbit", 6, -3, 0},
    {"Gbit", 9, -3, 0},  {"Tbit", 12, -3, 0}, {"Kibit", 0, 7, 0}, {"Mibit", 0, 17, 0},
    {"Gibit", 0, 27, 0}, {"Tibit", 0, 37, 0}, {NULL, 0, 0, 0}};
static const unit hertz_units[] = {{"Hz", 0, 0, 0},  {"kHz", 3, 0, 0},  {"MHz", 6, 0, 0},
                                   {"GHz", 9, 0, 0}, {"THz", 12, 0, 0}, {NULL, 0, 0, 0}};
static const unit rate_units[] = {
    {"B/s", 0, 0, 0},      {"kB/s", 3, 0, 0},     {"MB/s", 6, 0, 0},    {"GB/s", 9, 0, 0},
    {"TB/s", 12, 0, 0},    {"KiB/s", 0, 10, 0},   {"MiB/s", 0, 20, 0},  {"GiB/s", 0, 30, 0},
    {"TiB/s", 0, 40, 0},   {"bit/s", 0, -3, 0},   {"kbit/s", 3, -3, 0}, {"Mbit/s", 6, -3, 0},
    {"Gbit/s", 9, -3, 0},  {"Tbit/s", 12, -3, 0}, {"Kibit/s", 0, 7, 0}, {"Mibit/s", 0, 17, 0},
    {"Gibit/s", 0, 27, 0}, {"Tibit/s", 0, 37, 0}, {NULL, 0, 0, 0}};
static const unit watt_units[] = {{"W", 0, 0, 0},   {"nW", -9, 0, 0}, {"uW", -6, 0, 0},
                                  {"mW", -3, 0, 0}, {"kW", 3, 0, 0},  {"MW", 6, 0, 0},
                                  {NULL, 0, 0, 0}};
static const unit joule_units[] = {{"J", 0, 0, 0},   {"fJ", -15, 0, 0}, {"pJ", -12, 0, 0},
                                   {"nJ", -9, 0, 0}, {"uJ", -6, 0, 0},  {"mJ", -3, 0, 0},
                                   {"kJ", 3, 0, 0},  {NULL, 0, 0, 0}};
static const unit second_units[] = {{"s", 0, 0, 0},      {"ps", -12, 0, 0}, {"ns", -9, 0, 0},
                                    {"us", -6, 0, 0},    {"ms", -3, 0, 0},  {"min", 0, 0, 60.0},
                                    {"h", 0, 0, 3600.0}, {NULL, 0, 0, 0}};
static const unit area_units[] = {{"m2", 0, 0, 0},   {"nm2", -18, 0, 0}, {"um2", -12, 0, 0},
                                  {"mm2", -6, 0, 0}, {"cm2", -4, 0, 0},  {NULL, 0, 0, 0}};
static const unit metre_units[] = {{"m", 0, 0, 0},   {"nm", -9, 0, 0}, {"um", -6, 0, 0},
                                   {"mm", -3, 0, 0}, {"cm", -2, 0, 0}, {NULL, 0, 0, 0}};

static unit_kind kind_of(sc_unit u)
{
    switch (u) {
    case SC_UNIT_NONE: return (unit_kind){"a number", plain_units};
    case SC_UNIT_BYTES: return (unit_kind){"a size", byte_units};
    case SC_UNIT_HZ: return (unit_kind){"a frequency", hertz_units};
    case SC_UNIT_BYTES_PER_S: return (unit_kind){"a bandwidth", rate_units};
    case SC_UNIT_WATT: return (unit_kind){"a power", watt_units};
    case SC_UNIT_JOULE: return (unit_kind){"an energy", joule_units};
    case SC_UNIT_SECOND: return (unit_kind){"a time", second_units};
    case SC_UNIT_AREA_M2: return (unit_kind){"an area", area_units};
    case SC_UNIT_METRE: return (unit_kind){"a length", metre_units};
    }
    return (unit_kind){"a number", plain_units};
}

/* "5 µm" as "5 um": Unicode has the micro sign twice, as itself and as a Greek letter. */
static const char *plain_micro(char *out, size_t size, const char *name)
{
    const bool micro = strncmp(name, "\xC2\xB5", 2) == 0 || strncmp(name, "\xCE\xBC", 2) == 0;
    if (!micro)
        return name;
    (void)snprintf(out, size, "u%s", name + 2);
    return out;
}

static const unit *find_unit(const unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0)
            return units;
    return NULL;
}

/* "KB" means 1000 to some and 1024 to others: a guess would be off by 2.4 % in silence. */
static const char *hint_on_kb(const char *name)
{
    if (strcmp(name, "KB") == 0)
        return "; KB is ambiguous: write kB (1000) or KiB (1024)";
    if (strcmp(name, "KB/s") == 0)
        return "; KB/s is ambiguous: write kB/s (1000) or KiB/s (1024)";
    return "";
}

static sc_status unknown_unit(const unit_kind *kind, const char *name, const char *text)
{
    char shown[SC_SHOWN_LEN], list[256] = "", suggestion[SC_SUGGEST_LEN];
    sc_near near;
    size_t used = 0;
    sc_near_begin(&near, name);
    for (const unit *u = kind->units; u->name; u++) {
        sc_near_offer(&near, u->name);
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", u->name);
    }
    const char *hint = hint_on_kb(name);
    return sc_fail(SC_EINVAL, "'%s' is not %s: the unit may be %s%s%s", sc_text_show(shown, text),
                   kind->what, list, hint, *hint ? "" : sc_did_you_mean(suggestion, near.best));
}

sc_status sc_quantity_parse(double *si, const char *text, sc_unit unit_wanted)
{
    static const unit base = {"", 0, 0, 0};
    char shown[SC_SHOWN_LEN], spelled[SC_SHOWN_LEN];
    const unit_kind kind = kind_of(unit_wanted);
    const size_t n = sc_number_span(text);
    if (n == 0)
        return sc_fail(SC_EINVAL, "'%s' is not %s", sc_text_show(shown, text), kind.what);
    const char *rest = text + n;
    rest += rest[0] == ' ' && rest[1] != '\0';
    const char *name = plain_micro(spelled, sizeof spelled, rest);
    const unit *u = *name ? find_unit(kind.units, name) : &base;
    if (!u)
        return unknown_unit(&kind, name, text);
    double v = 0.0;
    const sc_status st = sc_number_read(&v, text, n, u->ten);
    if (st != SC_OK)
        return st;
    v = ldexp(u->times != 0.0 ? v * u->times : v, u->two);
    if (!isfinite(v))
        return sc_fail(SC_EINVAL, "%s is too large a number", sc_text_show(shown, text));
    *si = v;
    return SC_OK;
}

/* One step of the scale a kind is shown on: the largest step that is not above the value is used.
 */
typedef struct step {
    double size; /* in base units */
    const char *name;
} step;

static const step byte_steps[] = {{1.0, "B"},      {0x1p10, "KiB"}, {0x1p20, "MiB"},
                                  {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0.0, NULL}};
static const step hertz_steps[] = {{1.0, "Hz"},  {1e3, "kHz"},  {1e6, "MHz"},
                                   {1e9, "GHz"}, {1e12, "THz"}, {0.0, NULL}};
static const step rate_steps[] = {{1.0, "B/s"},  {1e3, "kB/s"},  {1e6, "MB/s"},
                                  {1e9, "GB/s"}, {1e12, "TB/s"}, {0.0, NULL}};
static const step watt_steps[] = {{1e-9, "nW"}, {1e-6, "uW"}, {1e-3, "mW"}, {1.0, "W"},
                                  {1e3, "kW"},  {1e6, "MW"},  {0.0, NULL}};
static const step joule_steps[] = {{1e-15, "fJ"}, {1e-12, "pJ"}, {1e-9, "nJ"}, {1e-6, "uJ"},
                                   {1e-3, "mJ"},  {1.0, "J"},    {1e3, "kJ"},  {0.0, NULL}};
static const step second_steps[] = {{1e-12, "ps"}, {1e-9, "ns"},  {1e-6, "us"},  {1e-3, "ms"},
                                    {1.0, "s"},    {60.0, "min"}, {3600.0, "h"}, {0.0, NULL}};
static const step area_steps[] = {{1e-12, "um2"}, {1e-6, "mm2"}, {1.0, "m2"}, {0.0, NULL}};
static const step metre_steps[] = {
    {1e-9, "nm"}, {1e-6, "um"}, {1e-3, "mm"}, {1.0, "m"}, {0.0, NULL}};

typedef struct scale {
    const step *steps; /* ends with a NULL name; NULL for plain numbers */
    size_t home;       /* the step that 0, NaN and infinity are shown on */
} scale;

static scale scale_of(sc_unit u)
{
    switch (u) {
    case SC_UNIT_NONE: return (scale){NULL, 0};
    case SC_UNIT_BYTES: return (scale){byte_steps, 0};
    case SC_UNIT_HZ: return (scale){hertz_steps, 0};
    case SC_UNIT_BYTES_PER_S: return (scale){rate_steps, 0};
    case SC_UNIT_WATT: return (scale){watt_steps, 3};
    case SC_UNIT_JOULE: return (scale){joule_steps, 5};
    case SC_UNIT_SECOND: return (scale){second_steps, 4};
    case SC_UNIT_AREA_M2: return (scale){area_steps, 1};
    case SC_UNIT_METRE: return (scale){metre_steps, 3};
    }
    return (scale){NULL, 0};
}

static int decimals(double size)
{
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

/* What the value becomes once it is printed in three digits. */
static double as_printed(double v)
{
    const double last_place = pow(10.0, decimals(v));
    return round(v * last_place) / last_place;
}

/* Three digits; more where a whole number has them, and an exponent off the ends of the scale. */
static void print_on_scale(char *out, size_t size, double v, const step *s)
{
    const double shown = v / s->size, magnitude = fabs(shown);
    const bool whole_base = s->size == 1.0 && magnitude < 1024.0 && v == round(v);
    if (magnitude < 0.9995 || magnitude >= 1e6)
        (void)snprintf(out, size, "%.3g %s", shown, s->name);
    else
        (void)snprintf(out, size, "%.*f %s", whole_base ? 0 : decimals(magnitude), shown, s->name);
}

void sc_quantity_format(char *out, size_t size, double si, sc_unit unit_wanted)
{
    const scale on = scale_of(unit_wanted);
    const sc_locale locale = sc_locale_enter_c();
    if (!on.steps) {
        (void)snprintf(out, size, "%.3g", si);
    } else if (!isfinite(si) || si == 0.0) {
        (void)snprintf(out, size, "%g %s", si, on.steps[on.home].name);
    } else {
        const step *s = on.steps;
        /* 999.9 kHz prints as 1.00 MHz: the step is chosen by what the reader will see */
        while (s[1].name && as_printed(fabs(si) / s->size) * s->size >= s[1].size)
            s++;
        print_on_scale(out, size, si, s);
    }
    sc_locale_leave(locale);
}

/* "7 MiB", if that is the very value. */
static bool print_whole(char *out, size_t size, double si, const step *s, sc_unit unit_wanted)
{
    char number[32];
    double back = (double)NAN;
    const double shown = si / s->size;
    if (shown != round(shown))
        return false;
    sc_double_text(number, sizeof number, shown);
    (void)snprintf(out, size, "%s %s", number, s->name);
    return sc_quantity_parse(&back, out, unit_wanted) == SC_OK && back == si;
}

void sc_quantity_exact(char *out, size_t size, double si, sc_unit unit_wanted)
{
    const scale on = scale_of(unit_wanted);
    char number[32], text[64];
    sc_double_text(number, sizeof number, si);
    (void)snprintf(out, size, "%s%s%s", number, on.steps ? " " : "", sc_unit_symbol(unit_wanted));
    if (!on.steps || !isfinite(si) || si == 0.0)
        return;
    for (const step *s = on.steps; s->name; s++)
        if (print_whole(text, sizeof text, si, s, unit_wanted))
            (void)snprintf(out, size, "%s", text);
}

const char *sc_unit_symbol(sc_unit unit_wanted)
{
    for (const step *s = scale_of(unit_wanted).steps; s && s->name; s++)
        if (s->size == 1.0)
            return s->name;
    return "";
}

sc_unit sc_unit_of_symbol(const char *symbol)
{
    for (int u = SC_UNIT_NONE + 1; u <= SC_UNIT_METRE; u++)
        if (strcmp(sc_unit_symbol((sc_unit)u), symbol) == 0)
            return (sc_unit)u;
    return SC_UNIT_NONE;
}
