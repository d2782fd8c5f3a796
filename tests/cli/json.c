/** json FILE PATH...: print the value at each dotted path of a JSON file, one a line; a number
 * steps into an array, "#" gives the size. Fails if the file is no JSON or a path leads nowhere. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

static const json_t *step(const json_t *value, const char *word)
{
    if (json_is_array(value))
        return json_array_get(value, strtoul(word, NULL, 10));
    return json_object_get(value, word);
}

static int print(const json_t *value)
{
    if (json_is_string(value))
        return puts(json_string_value(value)) < 0;
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    int failed = text == NULL || puts(text) < 0;
    free(text);
    return failed;
}

static int print_at(const json_t *value, char *path)
{
    for (char *word = strtok(path, "."); word != NULL; word = strtok(NULL, ".")) {
        if (strcmp(word, "#") == 0)
            return printf("%zu\n", size_of(value)) < 0;
        value = step(value, word);
        if (value == NULL) {
            fprintf(stderr, "no '%s'\n", word);
            return 1;
        }
    }
    return print(value);
}

int main(int argc, char **argv)
{
    json_error_t where;
    int failed = 0;

    if (argc < 2)
        return 2;
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (root == NULL) {
        fprintf(stderr, "%s:%d:%d: %s\n", argv[1], where.line, where.column, where.text);
        return 1;
    }
    for (int i = 2; i < argc; i++)
        failed |= print_at(root, argv[i]);
    json_decref(root);
    return failed;
}
