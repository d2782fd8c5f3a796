#ifndef STORE_DISK_H
#define STORE_DISK_H
/** The file under a database, as the system sees it. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/buf.h"
#include "store/store.h"

/** Refuse what is no regular file (a FIFO would be waited for). A missing file is *exists = false.
 *  @return SC_OK; SC_ESTORE. */
sc_status sc_disk__look(bool *exists, const char *path) SC_MUST_USE;

/** Append the URI under which SQLite opens exactly this path: no name is special. */
void sc_disk__uri(sc_buf *uri, const char *path, bool immutable);

/** Whether a reader must do without the write-ahead log's shared memory: it may not create files in
 *  the folder, and neither log nor shared memory is there, so nobody has the database open for
 *  writing. */
sc_status sc_disk__is_frozen(bool *out, const char *path) SC_MUST_USE;

/** Whether the path lies on a network file system, where shared memory between machines fails. */
sc_status sc_disk__is_network(bool *out, const char *path) SC_MUST_USE;
/** The same by the type that statfs gives. */
bool sc_disk__is_network_type(uint64_t type);

/** Bytes that the open file has, and bytes that its header promises (0 = none). Reads through
 *  SQLite's own descriptor: closing another one of ours would drop the process's locks. */
void sc_disk__sizes(sqlite3 *db, int64_t *has, int64_t *promised);

/** Whether a log with content lies beside the database: the file alone is then not the whole. */
sc_status sc_disk__has_log(bool *out, const char *path) SC_MUST_USE;
#endif
