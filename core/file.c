#define _XOPEN_SOURCE 700 /* realpath */

#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/gzip.h"
#include "core/mem.h"

enum { TEMPORARY_SUFFIX = 48 }; /* ".tmp-PID-SERIAL" and the NUL */

static sc_status system_refuses(const char *path)
{
    const int reason = errno;
    char text[128];
    if (strerror_r(reason, text, sizeof text) != 0)
        (void)snprintf(text, sizeof text, "system error %d", reason);
    return sc_fail(reason == ENOENT || reason == ENOTDIR ? SC_ENOTFOUND : SC_EIO, "%s: error: %s",
                   path, text);
}

static sc_status too_large(const char *path, size_t max_bytes)
{
    return sc_fail(SC_EPARSE, "%s:1:1: error: over the limit of %zu bytes", path, max_bytes);
}

/* Not blocking, so that a FIFO without a writer is refused instead of waited for. */
static sc_status open_regular(int *out, struct stat *info, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return system_refuses(path);
    if (fstat(fd, info) != 0) {
        const sc_status st = system_refuses(path);
        (void)close(fd);
        return st;
    }
    if (!S_ISREG(info->st_mode)) {
        (void)close(fd);
        return sc_fail(SC_EPARSE, "%s:1:1: error: is %s, not a regular file", path,
                       S_ISDIR(info->st_mode)    ? "a directory"
                       : S_ISFIFO(info->st_mode) ? "a FIFO"
                                                 : "a device or socket");
    }
    *out = fd;
    return SC_OK;
}

sc_status sc_file_open(int *fd, uint64_t *size, const char *path)
{
    struct stat info;
    const sc_status st = open_regular(fd, &info, path);
    if (st == SC_OK)
        *size = (uint64_t)info.st_size;
    return st;
}

sc_status sc_file_read_at(void *out, size_t n, int fd, uint64_t offset, const char *path)
{
    char *bytes = out;
    size_t used = 0;
    while (used < n) {
        const ssize_t got = pread(fd, bytes + used, n - used, (off_t)(offset + used));
        if (got == 0)
            return sc_fail(SC_EIO, "%s: error: became shorter while it was read", path);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_refuses(path);
        used += (size_t)got;
    }
    return SC_OK;
}

void sc_file_close(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* Read until the end or capacity bytes, whichever comes first. */
static sc_status read_up_to(size_t *length, char *bytes, size_t capacity, int fd, const char *path)
{
    size_t used = 0;
    while (used < capacity) {
        const ssize_t got = read(fd, bytes + used, capacity - used);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_refuses(path);
        used += (size_t)got;
    }
    *length = used;
    return SC_OK;
}

/* The bytes as they lie on disk. One byte of room past the size tells a file that grows. */
static sc_status read_raw(char **out, size_t *length, const char *path, size_t max_bytes)
{
    sc_status st = SC_OK;
    struct stat info;
    char *bytes = NULL;
    size_t used = 0;
    int fd = -1;

    if ((st = open_regular(&fd, &info, path)) != SC_OK)
        return st;
    if ((uintmax_t)info.st_size > max_bytes || max_bytes > SIZE_MAX - 2) {
        st = too_large(path, max_bytes);
        goto done;
    }
    const size_t size = (size_t)info.st_size;
    if (!(bytes = sc_malloc(size + 2))) {
        st = SC_ENOMEM;
        goto done;
    }
    if ((st = read_up_to(&used, bytes, size + 1, fd, path)) != SC_OK)
        goto done;
    if (used > size) {
        st = sc_fail(SC_EIO, "%s: error: grew while it was read", path);
        goto done;
    }
    bytes[used] = '\0';
    *out = bytes;
    *length = used;
    bytes = NULL;
done:
    sc_free(bytes);
    (void)close(fd);
    return st;
}

sc_status sc_file_read(char **out, size_t *length, const char *path, size_t max_bytes)
{
    char *bytes = NULL;
    size_t used = 0;
    sc_status st = read_raw(&bytes, &used, path, max_bytes);
    if (st != SC_OK)
        return st;
    if (sc_gzip_is(bytes, used)) {
        char *packed = bytes;
        st = sc_gzip_unpack(&bytes, &used, packed, used, max_bytes, path);
        sc_free(packed);
        if (st != SC_OK)
            return st;
    }
    *out = bytes;
    *length = used;
    return SC_OK;
}

bool sc_file_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

char *sc_path_join(const char *folder, const char *name)
{
    const size_t nf = strlen(folder), nn = strlen(name);
    if (nf == 0 || name[0] == '/')
        return sc_strdup(name);
    char *path = sc_malloc(nf + nn + 2);
    if (path)
        (void)snprintf(path, nf + nn + 2, "%s%s%s", folder, folder[nf - 1] == '/' ? "" : "/", name);
    return path;
}

char *sc_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (slash && n == 0)
        n = 1; /* the root keeps its slash */
    char *folder = sc_malloc(n + 1);
    if (folder) {
        memcpy(folder, path, n);
        folder[n] = '\0';
    }
    return folder;
}

static sc_status write_all(int fd, const char *bytes, size_t n, const char *path)
{
    while (n > 0) {
        const ssize_t put = write(fd, bytes, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return system_refuses(path);
        bytes += put;
        n -= (size_t)put;
    }
    return SC_OK;
}

/* A rename is lasting once the folder is on disk. Some file systems cannot sync a folder (EINVAL);
 * then there is nothing more a program can do. */
static sc_status sync_folder(const char *target, const char *path)
{
    char *folder = sc_path_folder(target);
    if (!folder)
        return SC_ENOMEM;
    sc_status st = SC_OK;
    const int fd = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
        st = system_refuses(path);
    if (fd >= 0)
        (void)close(fd);
    sc_free(folder);
    return st;
}

/* A new file in the folder of target under a name that no other thread, process or host holds: the
 * open is exclusive, and a taken name makes it try the next. */
static sc_status create_beside(int *out, char *name, size_t size, const char *target,
                               const char *path)
{
    static atomic_uint serial;
    int fd = -1;
    do {
        (void)snprintf(name, size, "%s.tmp-%ld-%u", target, (long)getpid(),
                       atomic_fetch_add(&serial, 1));
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        return system_refuses(path);
    *out = fd;
    return SC_OK;
}

/* What stands there already is a file, and the new one takes over its permissions. */
static sc_status match_mode(int fd, const char *target, const char *path)
{
    struct stat old;
    if (stat(target, &old) != 0)
        return SC_OK;
    if (!S_ISREG(old.st_mode))
        return sc_fail(SC_EIO, "%s: error: is not a regular file", path);
    return fchmod(fd, old.st_mode & 07777) == 0 ? SC_OK : system_refuses(path);
}

/* Where a write to path must land: behind its symbolic links, if it is one. */
static char *real_target(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *copy = sc_strdup(resolved ? resolved : path);
    free(resolved); /* house: the C library allocated it */
    return copy;
}

sc_status sc_file_write(const char *path, const void *bytes, size_t n)
{
    sc_status st = SC_OK;
    int fd = -1;
    bool ours = false; /* the temporary name stands for a file to remove */
    char *temporary = NULL;
    char *target = real_target(path);
    const size_t size = target ? strlen(target) + TEMPORARY_SUFFIX : 0;

    if (!target || !(temporary = sc_malloc(size))) {
        st = SC_ENOMEM;
        goto done;
    }
    if ((st = create_beside(&fd, temporary, size, target, path)) != SC_OK)
        goto done;
    ours = true;
    if ((st = match_mode(fd, target, path)) != SC_OK ||
        (st = write_all(fd, bytes, n, path)) != SC_OK)
        goto done;
    if (fsync(fd) != 0 || rename(temporary, target) != 0) {
        st = system_refuses(path);
        goto done;
    }
    ours = false;
    st = sync_folder(target, path);
done:
    if (fd >= 0)
        (void)close(fd);
    if (ours)
        (void)unlink(temporary);
    sc_free(temporary);
    sc_free(target);
    return st;
}

sc_status sc_file_may_write(const char *path)
{
    int fd = -1;
    char *target = real_target(path);
    const size_t size = target ? strlen(target) + TEMPORARY_SUFFIX : 0;
    char *temporary = target ? sc_malloc(size) : NULL;
    sc_status st = temporary ? create_beside(&fd, temporary, size, target, path) : SC_ENOMEM;
    if (st == SC_OK) {
        st = match_mode(fd, target, path);
        (void)close(fd);
        (void)unlink(temporary);
    }
    sc_free(temporary);
    sc_free(target);
    return st;
}
