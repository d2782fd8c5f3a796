/**
 * Runs a fuzz target over kept inputs without libFuzzer, so that every compiler and sanitizer sees
 * them: each argument is a file or a folder of files. Fails when there is nothing to replay, since
 * an empty corpus would test nothing.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

static size_t replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = 0, capacity = 4096;
    uint8_t *data = malloc(capacity);
    while (data) {
        size += fread(data + size, 1, capacity - size, file);
        if (size < capacity)
            break;
        uint8_t *larger = realloc(data, capacity * 2);
        if (!larger)
            free(data);
        data = larger;
        capacity *= 2;
    }
    fclose(file);
    if (!data) {
        fprintf(stderr, "%s: out of memory\n", path);
        exit(1);
    }
    /* an exact copy, so that a read one byte past the end is seen by the sanitizers */
    uint8_t *exact = realloc(data, size ? size : 1);
    LLVMFuzzerTestOneInput(exact ? exact : data, size);
    free(exact ? exact : data);
    return 1;
}

static size_t replay_folder(const char *path)
{
    size_t n = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[4096];
        struct stat info;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (stat(file, &info) == 0 && S_ISREG(info.st_mode))
            n += replay_file(file);
    }
    closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            perror(argv[i]);
            return 1;
        }
        n += S_ISDIR(info.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    printf("%zu inputs replayed\n", n);
    return n > 0 ? 0 : 1;
}
