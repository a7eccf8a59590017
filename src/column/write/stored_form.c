#include "column/write/stored_form.h"

#include <stdlib.h>

#include "core/memory.h"

static stoa_status to_codes(const stoa_view *view, stoa_categories *book, stoa_stored_form *plain,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_dictionary = view->type.kind == STOA_KIND_DICTIONARY;
    stoa_view labels = *view;
    int64_t *codes = NULL;

    if (is_dictionary) {
        STOA_TRY(stoa_view_dictionary(view, &labels, err));
        if (stoa_categories_begins_with(book, &labels)) { /* the codes are the same */
            plain->view.type =
                (stoa_type){.kind = view->type.index, .width = stoa_kind_width(view->type.index)};
            return STOA_OK;
        }
    }
    codes = stoa_alloc((size_t)labels.length, sizeof *codes);
    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_categories_codes(book, &labels, codes, err));
    if (book->is_over) {
        goto done; /* not all labels have a code */
    }
    STOA_TRY(stoa_stored_form_start(plain, view, err));
    for (int64_t i = 0; i < view->length; i++) {
        if (!stoa_view_is_null(view, i)) {
            const int64_t code = codes[is_dictionary ? stoa_view_i64(view, i) : i];
            if (code >= 0) {
                stoa_stored_form_put(plain, i, code);
            }
        }
    }

done:
    free(codes);
    return status;
}

stoa_status stoa_stored_form_of(const stoa_column *column, const stoa_view *view,
                                stoa_categories *book, stoa_stored_form *plain, stoa_error *err)
{
    if (book == NULL || view->null_count == view->length) {
        return stoa_plain_form_of(column, view, plain, err);
    }
    *plain = (stoa_stored_form){.view = *view};
    return to_codes(view, book, plain, err);
}
