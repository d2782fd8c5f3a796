#ifndef TESTS_XML_SUPPORT_H
#define TESTS_XML_SUPPORT_H
/** A strict reader of the XML that we write, which fails the test at the first fault: tags that
 * nest under one root, quoted attributes that stand once, no bare '<' or '&'. */
#include <stddef.h>

enum { XML_ATTRIBUTES = 12, XML_NAME = 24, XML_TEXT = 700 };

/** An element with its own text, entities resolved. */
typedef struct xml_element {
    char name[XML_NAME];
    size_t n_attributes;
    struct {
        char name[XML_NAME], value[XML_TEXT];
    } attribute[XML_ATTRIBUTES];
    char text[XML_TEXT];
    int depth; /* 0 = the root */
} xml_element;

/** All elements in the order of their start tags; free() it. */
xml_element *xml_read(size_t *n, const char *text);
/** Value of an attribute; NULL if it is not there. */
const char *xml_attribute(const xml_element *e, const char *name);
/** The same as a number; fails the test if it is none. */
double xml_number(const xml_element *e, const char *name);
#endif
