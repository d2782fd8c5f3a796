#include "store/private.h"

/* The row that stands for table t in the ledger itself. */
static sc_cell name_of(sc_table t)
{
    return sc_cell_text(sc_store__table(t)->name);
}

sc_status sc_store__ledger_load(sc_store *s, sc_table t)
{
    sc_ledger *l = &s->ledger[t];
    const sc_cell key = name_of(t);
    sqlite3_stmt *row = NULL;
    sc_status st;

    if (l->loaded)
        return SC_OK;
    if ((st = sc_store__find(&row, s, SC_TABLE_LEDGER, &key)) != SC_OK)
        return st;
    if (!row)
        return sc_store__corrupt(s, "the ledger has no row for table %s", sc_store__table(t)->name);
    *l = (sc_ledger){.loaded = true,
                     .rows = (uint64_t)sqlite3_column_int64(row, 1),
                     .total = (uint64_t)sqlite3_column_int64(row, 2)};
    sc_store__release(row);
    return SC_OK;
}

sc_status sc_store__ledger_save(sc_store *s)
{
    for (int t = 0; t < SC_TABLE_LEDGER; t++) {
        const sc_ledger *l = &s->ledger[t];
        if (!l->changed)
            continue;
        const sc_cell cells[] = {name_of((sc_table)t), sc_cell_int((int64_t)l->rows),
                                 sc_cell_int((int64_t)l->total)};
        const sc_status st = sc_store__upsert(NULL, s, SC_TABLE_LEDGER, cells);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

void sc_store__ledger_forget(sc_store *s)
{
    for (int t = 0; t < SC_TABLES; t++)
        s->ledger[t] = (sc_ledger){0};
}
