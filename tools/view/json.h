/* SPDX-License-Identifier: GPL-2.0 */
/* Pieces of answers in JSON, written with out.h. */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include "out.h"
#include "view/trace.h"

/* "key":, behind a comma but for the first one of its object. */
void json_first(const char *key);
void json_key(const char *key);

void json_word(const char *key, const char *word);
void json_i64(const char *key, int64_t v);
void json_bool(const char *key, bool v);
void json_string(const char *key, struct gt_string s);

/* {"i":,"id":,"name":} of gt_g.index plus 1; null of 0. */
void json_g(const char *key, const struct view *v, uint32_t g);
/* Its CPU's number; null of 0. */
void json_p(const char *key, const struct view *v, uint16_t p);
/* [{"fn":,"file":,"line":,"pc":}], the innermost first; of a stack's number. */
void json_stack(const char *key, const struct view *v, uint32_t stk);

#endif
