#include "store_vfs.h"

#include <sqlite3.h>
#include <string.h>

typedef struct disk_file {
    sqlite3_file base;
    long unsynced;
    bool counts;         /* a database, its log or journal */
    sqlite3_file *inner; /* behind this struct */
} disk_file;

static sqlite3_vfs disk;
static sqlite3_vfs *system_vfs;
static vfs_fault fault;
static long countdown;
static bool did_fail;
static long unsynced;

void vfs_fail(vfs_fault kind, long n)
{
    fault = kind;
    countdown = n;
    did_fail = false;
}

bool vfs_failed(void)
{
    return did_fail;
}

long vfs_unsynced(void)
{
    return unsynced;
}

/* Whether this operation is the one to fail. */
static bool strikes(vfs_fault kind)
{
    if (fault != kind)
        return false;
    if (countdown-- > 0)
        return false;
    did_fail = true;
    if (kind == VFS_FULL)
        countdown = 0;
    else
        fault = VFS_NONE;
    return true;
}

static sqlite3_file *inner(sqlite3_file *f)
{
    return ((disk_file *)(void *)f)->inner;
}

static void synced(sqlite3_file *f)
{
    disk_file *file = (disk_file *)(void *)f;
    unsynced -= file->unsynced;
    file->unsynced = 0;
}

static int disk_close(sqlite3_file *f)
{
    synced(f); /* gone: a log or journal that is deleted has done its work */
    return inner(f)->pMethods->xClose(inner(f));
}

static int disk_read(sqlite3_file *f, void *bytes, int n, sqlite3_int64 at)
{
    if (strikes(VFS_READ))
        return SQLITE_IOERR_READ;
    return inner(f)->pMethods->xRead(inner(f), bytes, n, at);
}

static int disk_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
    disk_file *file = (disk_file *)(void *)f;
    if (strikes(VFS_FULL))
        return SQLITE_FULL;
    if (strikes(VFS_WRITE))
        return SQLITE_IOERR_WRITE;
    if (file->counts) {
        file->unsynced += n;
        unsynced += n;
    }
    return inner(f)->pMethods->xWrite(inner(f), bytes, n, at);
}

static int disk_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return inner(f)->pMethods->xTruncate(inner(f), size);
}

static int disk_sync(sqlite3_file *f, int flags)
{
    if (strikes(VFS_SYNC))
        return SQLITE_IOERR_FSYNC;
    synced(f);
    return inner(f)->pMethods->xSync(inner(f), flags);
}

static int disk_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return inner(f)->pMethods->xFileSize(inner(f), size);
}

static int disk_lock(sqlite3_file *f, int lock)
{
    return inner(f)->pMethods->xLock(inner(f), lock);
}

static int disk_unlock(sqlite3_file *f, int lock)
{
    return inner(f)->pMethods->xUnlock(inner(f), lock);
}

static int disk_check_lock(sqlite3_file *f, int *out)
{
    return inner(f)->pMethods->xCheckReservedLock(inner(f), out);
}

static int disk_control(sqlite3_file *f, int op, void *argument)
{
    return inner(f)->pMethods->xFileControl(inner(f), op, argument);
}

static int disk_sector(sqlite3_file *f)
{
    return inner(f)->pMethods->xSectorSize(inner(f));
}

static int disk_device(sqlite3_file *f)
{
    return inner(f)->pMethods->xDeviceCharacteristics(inner(f));
}

static int disk_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return inner(f)->pMethods->xShmMap(inner(f), page, size, extend, out);
}

static int disk_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return inner(f)->pMethods->xShmLock(inner(f), offset, n, flags);
}

static void disk_shm_barrier(sqlite3_file *f)
{
    inner(f)->pMethods->xShmBarrier(inner(f));
}

static int disk_shm_unmap(sqlite3_file *f, int remove)
{
    return inner(f)->pMethods->xShmUnmap(inner(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* without memory mapping, as the store uses it */
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_lock,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_device,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
    enum { COUNTED = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL };
    disk_file *file = (disk_file *)(void *)f;
    *file = (disk_file){.inner = (sqlite3_file *)(void *)(file + 1), .counts = flags & COUNTED};
    const int rc = system_vfs->xOpen(system_vfs, name, file->inner, flags, out_flags);
    if (rc == SQLITE_OK)
        file->base.pMethods = &methods;
    return rc;
}

void vfs_install(void)
{
    if (!system_vfs) {
        (void)sqlite3_initialize();
        system_vfs = sqlite3_vfs_find(NULL);
        disk = *system_vfs;
        disk.zName = "failing";
        disk.szOsFile = (int)sizeof(disk_file) + system_vfs->szOsFile;
        disk.xOpen = disk_open;
    }
    (void)sqlite3_vfs_register(&disk, 1);
    vfs_fail(VFS_NONE, 0);
}

void vfs_remove(void)
{
    (void)sqlite3_vfs_register(system_vfs, 1);
}
