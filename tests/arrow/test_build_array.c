/* Arrays, their ownership, and shared handles, for src/arrow/build_array.c */
#include "arrow/build.h"
#include "support/check.h"
#include "support/sweep.h"

/* int32 0, 1, 2, ... */
static stoa_status make_counting(struct ArrowArray *array, int64_t n, stoa_error *err)
{
    int32_t *values = stoa_alloc((size_t)n, sizeof *values);

    *array = (struct ArrowArray){0};
    if (values == NULL) {
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < n; i++) {
        values[i] = (int32_t)i;
    }
    return stoa_array_make(array, n, 0, 2, (void *[]){NULL, values}, err);
}

/* struct<int32, int32 with a dictionary of int32> */
static stoa_status make_struct(struct ArrowArray *array, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray dictionary = {0};

    STOA_TRY(stoa_array_make(array, 3, 0, 1, (void *[]){NULL}, err));
    STOA_TRY(stoa_array_children(array, 2, err));
    STOA_TRY(make_counting(array->children[0], 3, err));
    STOA_TRY(make_counting(array->children[1], 3, err));
    STOA_TRY(make_counting(&dictionary, 5, err));
    STOA_TRY(stoa_array_dictionary(array->children[1], &dictionary, err));

done:
    if (status != STOA_OK) {
        stoa_array_release(array);
    }
    return status;
}

static void an_array_shows_its_buffers(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;

    CHECK_OK(make_counting(&array, 4, &err), &err);
    CHECK_I64(array.length, 4);
    CHECK_I64(array.n_buffers, 2);
    CHECK(array.buffers[0] == NULL);
    CHECK_I64(((const int32_t *)array.buffers[1])[3], 3);
    stoa_array_release(&array);
    CHECK(array.release == NULL);
}

static void uncounted_nulls_need_a_bitmap(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;

    CHECK_STATUS(STOA_EINVAL,
                 stoa_array_make(&array, 1, -1, 2, (void *[]){NULL, stoa_alloc(1, 4)}, &err));
    CHECK(array.release == NULL);
    CHECK_STATUS(STOA_EINVAL,
                 stoa_array_make(&array, -1, 0, 2, (void *[]){NULL, stoa_alloc(1, 4)}, &err));
}

static void a_dictionary_is_moved_from_in_every_case(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;
    struct ArrowArray first;
    struct ArrowArray second;

    CHECK_OK(make_counting(&array, 2, &err), &err);
    CHECK_OK(make_counting(&first, 2, &err), &err);
    CHECK_OK(make_counting(&second, 2, &err), &err);
    CHECK_OK(stoa_array_dictionary(&array, &first, &err), &err);
    CHECK(first.release == NULL);
    CHECK_STATUS(STOA_EINVAL, stoa_array_dictionary(&array, &second, &err));
    CHECK(second.release == NULL);
    stoa_array_release(&array);
}

static void shared_handles_see_one_set_of_buffers(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;
    struct ArrowArray handles[3];

    CHECK_OK(make_struct(&array, &err), &err);
    const void *values = array.children[0]->buffers[1];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(stoa_array_share(&array, &handles[i], &err), &err);
        CHECK(handles[i].children[0]->buffers[1] == values);
        CHECK_I64(handles[i].children[1]->dictionary->length, 5);
    }
    stoa_array_release(&array);
    stoa_array_release(&handles[0]);
    stoa_array_release(&handles[2]);
    CHECK_I64(((const int32_t *)handles[1].children[0]->buffers[1])[2], 2);
    stoa_array_release(&handles[1]);
}

static void a_child_of_a_handle_lives_on_alone(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;
    struct ArrowArray handle;
    struct ArrowArray child;

    CHECK_OK(make_struct(&array, &err), &err);
    CHECK_OK(stoa_array_share(&array, &handle, &err), &err);
    stoa_array_move(handle.children[1], &child);
    stoa_array_release(&handle);
    stoa_array_release(&array);
    CHECK_I64(((const int32_t *)child.dictionary->buffers[1])[4], 4);
    stoa_array_release(&child);
}

static void a_slice_is_shared_as_a_slice(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;
    struct ArrowArray handle;

    CHECK_OK(make_counting(&array, 10, &err), &err);
    array.offset = 4;
    array.length = 2;
    CHECK_OK(stoa_array_share(&array, &handle, &err), &err);
    CHECK_I64(handle.offset, 4);
    CHECK_I64(handle.length, 2);
    stoa_array_release(&handle);
    stoa_array_release(&array);
}

static int n_foreign_released;
static void foreign_release(struct ArrowArray *array)
{
    n_foreign_released++;
    array->release = NULL;
}

static void a_foreign_array_is_released_once_with_its_last_handle(void)
{
    static const int32_t values[] = {7};
    const void *buffers[] = {NULL, values};
    struct ArrowArray array = {
        .length = 1, .n_buffers = 2, .buffers = buffers, .release = foreign_release};
    struct ArrowArray handle;
    stoa_error err = STOA_ERROR_INIT;

    n_foreign_released = 0;
    CHECK_OK(stoa_array_share(&array, &handle, &err), &err);
    stoa_array_release(&array);
    CHECK_I64(n_foreign_released, 0);
    CHECK_I64(*(const int32_t *)handle.buffers[1], 7);
    stoa_array_release(&handle);
    CHECK_I64(n_foreign_released, 1);
}

static stoa_status make_list(struct ArrowArray *array, stoa_error *err)
{
    struct ArrowArray items = {.release = NULL};
    int32_t *const offsets = stoa_alloc_zero(3, sizeof *offsets);
    stoa_status status = STOA_OK;

    if (offsets == NULL) {
        return stoa_fail_memory(err);
    }
    offsets[2] = 5;
    status = make_counting(&items, 5, err);
    if (status != STOA_OK) {
        free(offsets);
        return status;
    }
    status = stoa_array_list(array, 2, 0, 2, (void *[]){NULL, offsets}, &items, err);
    CHECK(items.release == NULL); /* in every case */
    CHECK(status == STOA_OK || array->release == NULL);
    return status;
}

static void a_list_has_its_items(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;

    CHECK_OK(make_list(&array, &err), &err);
    CHECK_I64(array.length, 2);
    CHECK_I64(array.n_children, 1);
    CHECK_I64(((const int32_t *)array.buffers[1])[2], 5);
    CHECK_I64(array.children[0]->length, 5);
    CHECK_I64(((const int32_t *)array.children[0]->buffers[1])[4], 4);
    stoa_array_release(&array);
}

static stoa_status build_list(stoa_error *err)
{
    struct ArrowArray array = {.release = NULL};
    const stoa_status status = make_list(&array, err);

    stoa_array_release(&array);
    return status;
}

static stoa_status build_and_share(stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray array = {0};
    struct ArrowArray handle = {0};
    struct ArrowArray another = {0};

    STOA_TRY(make_struct(&array, err));
    STOA_TRY(stoa_array_share(&array, &handle, err));
    STOA_TRY(stoa_array_share(&handle, &another, err));

done:
    if (status != STOA_OK && array.release != NULL) {
        CHECK_I64(array.children[1]->dictionary->length, 5); /* whole, whatever failed after it */
    }
    stoa_array_release(&array);
    stoa_array_release(&handle);
    stoa_array_release(&another);
    return status;
}

static int n_given_back;

static void give_back(void *lender)
{
    CHECK(lender == &n_given_back);
    n_given_back++;
}

static stoa_status build_lent(stoa_error *err)
{
    static const int32_t values[] = {1, 2, 3};
    stoa_status status = STOA_OK;
    struct ArrowArray array = {0};
    struct ArrowArray handle = {0};

    n_given_back = 0;
    STOA_TRY(stoa_array_make_lent(&array, 3, values, give_back, &n_given_back, err));
    STOA_TRY(stoa_array_share(&array, &handle, err));
    stoa_array_release(&array);
    CHECK_I64(n_given_back, 0);
    CHECK(handle.buffers[0] == NULL && handle.buffers[1] == values);
    CHECK_I64(handle.length, 3);

done:
    stoa_array_release(&array);
    stoa_array_release(&handle);
    CHECK_I64(n_given_back, 1);
    return status;
}

static void values_that_are_lent_are_given_back_once(void)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(build_lent(&err), &err);
    CHECK(sweep_memory(build_lent) > 2);
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(build_and_share) > 20);
    CHECK(sweep_memory(build_list) > 4);
}

TEST_MAIN(TEST(an_array_shows_its_buffers), TEST(uncounted_nulls_need_a_bitmap),
          TEST(a_list_has_its_items), TEST(a_dictionary_is_moved_from_in_every_case),
          TEST(shared_handles_see_one_set_of_buffers), TEST(a_child_of_a_handle_lives_on_alone),
          TEST(a_slice_is_shared_as_a_slice),
          TEST(a_foreign_array_is_released_once_with_its_last_handle),
          TEST(values_that_are_lent_are_given_back_once), TEST(no_allocation_is_taken_for_granted))
