#include "placement/faults.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE = 1024 };

void sc_faults_init(sc_faults *f, const char *file)
{
    f->file = file;
    f->count = 0;
    sc_buf_init(&f->text);
}

void sc_faults_clear(sc_faults *f)
{
    sc_buf_clear(&f->text);
    f->count = 0;
}

void sc_faults_add(sc_faults *f, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char what[LINE];
    va_list args;

    if (f->count++ >= SC_FAULTS_SHOWN)
        return;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (column > 0)
        sc_buf_printf(&f->text, "%s%s:%u:%u: error: %s", f->count > 1 ? "\n" : "", f->file, line,
                      column, what);
    else
        sc_buf_printf(&f->text, "%s%s:%u: error: %s", f->count > 1 ? "\n" : "", f->file, line,
                      what);
}

sc_status sc_faults_status(const sc_faults *f)
{
    if (f->text.status != SC_OK)
        return f->text.status;
    if (f->count == 0)
        return SC_OK;
    if (f->count > SC_FAULTS_SHOWN)
        return sc_fail(SC_EPARSE, "%s\n%s: %zu more errors", f->text.text, f->file,
                       f->count - SC_FAULTS_SHOWN);
    return sc_fail(SC_EPARSE, "%s", f->text.text);
}
