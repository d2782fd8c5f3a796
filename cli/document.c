#include "document.h"

#include <jansson.h>
#include <stdlib.h>

#include "message.h"
#include "output.h"

/* json: text as the value of key. @return NULL on out of memory. */
static char *wrap(const char *key, const char *text)
{
    json_t *root = json_pack("{s:s}", key, text);
    char *wrapped = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return wrapped;
}

int sc_cli_put_document(const sc_cli *cli, const char *path, const char *key,
                        void (*put)(FILE *out, const sc_cli *cli))
{
    char *text = NULL, *wrapped = NULL;
    size_t n = 0;
    int code = SC_EXIT_INTERNAL;
    FILE *out = open_memstream(&text, &n);

    if (out == NULL) {
        sc_cli_error("out of memory");
        return code;
    }
    put(out, cli);
    int failed = ferror(out);
    failed = fclose(out) != 0 || failed;
    if (!failed && cli->globals.json)
        failed = (wrapped = wrap(key, text)) == NULL;
    if (failed)
        sc_cli_error("out of memory");
    else
        code = sc_cli_write(path, wrapped != NULL ? wrapped : text);
    free(wrapped);
    free(text);
    return code;
}
