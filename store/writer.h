#ifndef STORE_WRITER_H
#define STORE_WRITER_H
/** The writer of one study: its part of the running batch, and what it keeps in memory. */
#include "store/front.h"
#include "store/ranges.h"
#include "store/study.h"

enum { SC_STATUS_LEN = 64 };

/** What a batch changes and an undone batch gives back. */
struct sc_progress_state {
    sc_store_counts counts;
    sc_ranges told;
    int64_t checkpoint; /* trials told when it was taken, -1 = there is none */
    char status[SC_STATUS_LEN];
};

struct sc_store_writer {
    sc_store *store;
    sc_store_info *info; /* what the study is; its counts are those at opening */
    sc_key key;
    struct sc_progress_state now, before; /* before: as committed, while a batch runs */
    uint64_t sum, new_sum; /* checksum of the progress row: as committed, as this batch writes it */
    bool touched, changed;
    bool stale;                            /* front and sample hold what an undone batch put in */
    size_t objective[SC_STORE_MAX_VALUES]; /* [front.m] which values the front compares */
    sc_front front;
    sc_sample sample;
    sc_store_writer *next; /* in the store's list of touched ones */
};

/** Take part in the running batch. @return SC_OK; SC_EINVAL outside one; SC_ESTORE if another
 *  process wrote the study since; SC_ENOMEM. */
sc_status sc_store__touch(sc_store_writer *w) SC_MUST_USE;
/** The vector [front.m] that the front minimises. */
void sc_store__objectives(double *out, const sc_store_writer *w, const double *values);
#endif
