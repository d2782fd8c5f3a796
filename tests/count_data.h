#ifndef TESTS_COUNT_DATA_H
#define TESTS_COUNT_DATA_H
/** Reference data and JSON for the tests of model/count. Included after cmocka.h. */
#include <jansson.h>
#include <math.h>

#include "core/json.h"
#include "core_support.h"

static inline json_t *read_json(const char *path)
{
    json_t *value = NULL;
    if (sc_json_open(&value, path) != SC_OK)
        fail_msg("%s: %s", path, sc_error_message());
    return value;
}

/* Member of an array whose "name" is that; NULL if there is none. */
static inline const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
            return item;
    }
    return NULL;
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("no number under %s", key);
    return json_number_value(value);
}

/* The value as it would be printed with two digits. */
static inline void assert_printed(const char *what, double ours, double printed)
{
    if (fabs(ours - printed) > 0.0051 + 1e-12 * fabs(printed))
        fail_msg("%s: %.4f, printed %.2f", what, ours, printed);
}
#endif
