#ifndef STORE_VFS_H
#define STORE_VFS_H
/** A disk that fails on demand: a VFS of SQLite over the system's, made the default. */
#include <stdbool.h>

typedef enum vfs_fault {
    VFS_NONE,
    VFS_FULL,  /* a write finds no room */
    VFS_WRITE, /* a write fails */
    VFS_SYNC,  /* a flush fails, once: later ones claim success, as real disks do */
    VFS_READ   /* a read fails */
} vfs_fault;

/** Make it the default for databases opened from now on. */
void vfs_install(void);
void vfs_remove(void);
/** Let the n-th operation of that kind from now on fail, 0 = the next. A full disk stays full. */
void vfs_fail(vfs_fault fault, long n);
bool vfs_failed(void); /* whether it did */
/** Bytes written to any database file, log or journal that were not flushed since. */
long vfs_unsynced(void);
#endif
