#include "core/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "core/locale.h"
#include "core/text.h"

enum { LINE_BYTES = 2048 };

static sc_log_fn current_sink;
static void *current_payload;

void sc_log_set(sc_log_fn sink, void *payload)
{
    current_sink = sink;
    current_payload = payload;
}

void sc_log(sc_log_level level, const char *fmt, ...)
{
    char line[LINE_BYTES];
    if (!current_sink)
        return;
    const sc_locale locale = sc_locale_enter_c();
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    sc_locale_leave(locale);
    sc_text_defuse(line, "");
    current_sink(level, line, current_payload);
}
