/* Calls below a connector: for src/sparse/store/chunk_io.c. */
#include <hdf5.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "hdf/hdf5.h"
#include "sparse/store/chunk_io.h"
#include "support/check.h"

typedef struct other_thread {
    sem_t has_begun;
    atomic_bool has_lock;
} other_thread;

static void *take_lock(void *context)
{
    other_thread *const other = context;

    (void)sem_post(&other->has_begun);
    stoa_hdf5_lock();
    atomic_store(&other->has_lock, true);
    stoa_hdf5_unlock();
    return NULL;
}

/* libhdf5 keeps one stack of the states that calls below a connector need. A thread that came
 * between would leave another one's. A thread-safe libhdf5 has a stack for each thread, and our
 * lock does nothing there. */
static void no_thread_comes_between_entering_and_leaving(void)
{
    enum { WHILE_US = 20000 };
    const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_H5(H5Pset_fapl_core(fapl, 4096, false));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate("calls.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t space = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
    const stoa_chunk_dataset dataset = {
        .id = (hid_t)CHECK_H5(
            H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
        .connector = H5I_INVALID_HID,
        .type = H5I_INVALID_HID};
    other_thread other = {.has_lock = false};
    hbool_t is_safe = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_chunk_call call;
    pthread_t thread;

    CHECK_I64(sem_init(&other.has_begun, 0, 0), 0);
    CHECK_OK(stoa_chunk_call_enter(&dataset, &call, &err), &err);
    CHECK_I64(pthread_create(&thread, NULL, take_lock, &other), 0);
    CHECK_I64(sem_wait(&other.has_begun), 0);
    (void)usleep(WHILE_US);
    CHECK_H5(H5is_library_threadsafe(&is_safe));
    CHECK(is_safe || !atomic_load(&other.has_lock));
    CHECK_OK(stoa_chunk_call_leave(&call, STOA_OK, &err), &err);
    CHECK_I64(pthread_join(thread, NULL), 0);
    CHECK(atomic_load(&other.has_lock));
    CHECK_I64(sem_destroy(&other.has_begun), 0);
    CHECK_H5(H5Dclose(dataset.id));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
}

TEST_MAIN(TEST(no_thread_comes_between_entering_and_leaving))
