#include "store/disk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "core/file.h"
#include "core/mem.h"

sc_status sc_disk__look(bool *exists, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        *exists = false; /* whatever the reason: opening it will say */
        return SC_OK;
    }
    if (!S_ISREG(info.st_mode))
        return sc_fail(SC_ESTORE, "%s: is %s, not a scantle database", path,
                       S_ISDIR(info.st_mode)    ? "a directory"
                       : S_ISFIFO(info.st_mode) ? "a FIFO"
                                                : "a device or socket");
    *exists = true;
    return SC_OK;
}

void sc_disk__uri(sc_buf *uri, const char *path, bool immutable)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/";

    /* "./" keeps a relative name such as ":memory:" a name; "//" before an absolute one is the
     * empty host, without which a path that begins with two slashes would lose its first folder. */
    sc_buf_puts(uri, path[0] == '/' ? "file://" : "file:./");
    for (const char *p = path; *p; p++) {
        if (strchr(plain, *p))
            sc_buf_append(uri, p, 1);
        else
            sc_buf_printf(uri, "%%%02X", (unsigned)(unsigned char)*p);
    }
    if (immutable)
        sc_buf_puts(uri, "?immutable=1");
}

/* *has: a file of that name with a suffix exists; *bytes: its size. */
static sc_status beside(bool *has, int64_t *bytes, const char *path, const char *suffix)
{
    struct stat info;
    sc_buf name;

    sc_buf_init(&name);
    sc_buf_puts(&name, path);
    sc_buf_puts(&name, suffix);
    const sc_status st = name.status;
    if (st == SC_OK) {
        *has = stat(name.text, &info) == 0;
        *bytes = *has ? (int64_t)info.st_size : 0;
    }
    sc_buf_clear(&name);
    return st;
}

sc_status sc_disk__has_log(bool *out, const char *path)
{
    bool has = false;
    int64_t bytes = 0;
    const sc_status st = beside(&has, &bytes, path, "-wal");
    if (st == SC_OK)
        *out = has && bytes > 0;
    return st;
}

sc_status sc_disk__is_frozen(bool *out, const char *path)
{
    bool has_log = false;
    bool has_shared = false;
    int64_t bytes = 0;
    sc_status st;

    if ((st = sc_disk__has_log(&has_log, path)) != SC_OK ||
        (st = beside(&has_shared, &bytes, path, "-shm")) != SC_OK)
        return st;
    char *folder = sc_path_folder(path);
    if (!folder)
        return SC_ENOMEM;
    *out = !has_log && !has_shared && access(folder[0] ? folder : ".", W_OK) != 0;
    sc_free(folder);
    return SC_OK;
}

bool sc_disk__is_network_type(uint64_t type)
{
    static const uint64_t network[] = {
        0x6969,     /* NFS */
        0x517B,     /* SMB */
        0xFE534D42, /* SMB2 */
        0xFF534D42, /* CIFS */
        0x5346414F, /* AFS */
        0x6B414653, /* kAFS */
        0x73757245, /* Coda */
        0x01021997, /* 9P */
        0x65735546, /* FUSE: sshfs and others; a local one only loses some speed */
        0x00C36400, /* Ceph */
        0x0BD00BD0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x20030528, /* OrangeFS */
        0xAAD7AAEA, /* PanFS */
        0x01161970, /* GFS2 */
        0x7461636F, /* OCFS2 */
        0x786F4256  /* VirtualBox shared folder */
    };
    for (size_t i = 0; i < sizeof network / sizeof network[0]; i++)
        if (network[i] == type)
            return true;
    return false;
}

sc_status sc_disk__is_network(bool *out, const char *path)
{
    bool network = false;
#ifdef __linux__
    struct statfs info;
    char *folder = sc_path_folder(path);
    if (!folder)
        return SC_ENOMEM;
    network = statfs(folder[0] ? folder : ".", &info) == 0 &&
              sc_disk__is_network_type((uint32_t)info.f_type);
    sc_free(folder);
#else
    (void)path; /* other systems mark no file system so; the write-ahead log is used */
#endif
    *out = network;
    return SC_OK;
}

void sc_disk__sizes(sqlite3 *db, int64_t *has, int64_t *promised)
{
    enum { HEADER = 100, PAGE_SIZE_AT = 16, PAGES_AT = 28 };
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    unsigned char header[HEADER];

    *has = *promised = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file->pMethods || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK)
        return;
    *has = bytes;
    *promised = bytes > 0 && bytes < HEADER ? HEADER : 0; /* no database is shorter */
    if (bytes < HEADER || file->pMethods->xRead(file, header, HEADER, 0) != SQLITE_OK)
        return;
    const int64_t page_size = header[PAGE_SIZE_AT] << 8 | header[PAGE_SIZE_AT + 1];
    const unsigned char *p = header + PAGES_AT;
    const int64_t pages = (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
    *promised = (page_size == 1 ? 65536 : page_size) * pages; /* file format, section 1.3.2 */
}
