/* pool: places in the order of coming, to the deadline; what idled is taken last in, first out, or closed. */
#include "adapters/pool.h"
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <time.h>

enum { WAITERS = 5 };

struct waiter {
    struct pool *pool;
    atomic_int *order;
    atomic_bool begun;
    int place, rc;
    int64_t deadline_us;
    bool cancelled;
};

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

static void *wait_in_line(void *ctx)
{
    struct waiter *w = ctx;
    struct call c;
    void *handle;
    call_begin(&c);
    c.deadline_us = w->deadline_us;
    if (w->cancelled) call_cancel(&c);
    atomic_store(&w->begun, true);
    w->rc = pool_take(w->pool, &c, &handle);
    if (!w->rc) {
        w->place = atomic_fetch_add(w->order, 1);
        pool_give(w->pool, handle);
    }
    call_end(&c);
    return NULL;
}

static void line(struct waiter *w, pthread_t *thread)
{
    pthread_create(thread, NULL, wait_in_line, w);
    while (!atomic_load(&w->begun)) pause_ms(1);
    pause_ms(30); /* it stands in line now */
}

static void first_come_first_served(void **state)
{
    (void)state;
    struct call c;
    struct waiter waiters[WAITERS] = { 0 };
    pthread_t threads[WAITERS];
    atomic_int order = 0;
    void *handle;
    call_begin(&c);
    struct pool *pool = pool_new(1);
    assert_int_equal(pool_take(pool, &c, &handle), OK);
    for (int i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){ .pool = pool, .order = &order };
        line(&waiters[i], &threads[i]);
    }
    pool_give(pool, NULL);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(waiters[i].rc, OK);
        assert_int_equal(waiters[i].place, i);
    }
    pool_free(pool, NULL);
    call_end(&c);
}

/* Who gives up leaves the line to those behind. */
static void nobody_waits_longer(void **state)
{
    (void)state;
    struct call c;
    struct waiter waiters[3] = { 0 };
    pthread_t threads[3];
    atomic_int order = 0;
    void *handle;
    call_begin(&c);
    struct pool *pool = pool_new(1);
    assert_int_equal(pool_take(pool, &c, &handle), OK);
    waiters[0] = (struct waiter){ .pool = pool, .order = &order, .deadline_us = clock_mono_us() + 50000 };
    waiters[1] = (struct waiter){ .pool = pool, .order = &order, .cancelled = true };
    waiters[2] = (struct waiter){ .pool = pool, .order = &order };
    for (int i = 0; i < 3; i++) line(&waiters[i], &threads[i]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_int_equal(waiters[0].rc, ERR_BUSY);
    assert_int_equal(waiters[1].rc, ERR_CANCELLED);
    pool_give(pool, handle);
    pthread_join(threads[2], NULL);
    assert_int_equal(waiters[2].rc, OK);
    pool_free(pool, NULL);
    call_end(&c);
}

static void close_it(void *handle)
{
    ++*(int *)handle;
}

static void what_idles(void **state)
{
    (void)state;
    struct call c;
    int one = 0, two = 0;
    void *a, *b;
    call_begin(&c);
    struct pool *pool = pool_new(3);
    assert_int_equal(pool_take(pool, &c, &a), OK);
    assert_int_equal(pool_take(pool, &c, &b), OK);
    assert_null(a);
    assert_null(b);
    pool_give(pool, &one);
    pool_give(pool, &two);
    assert_int_equal(pool_take(pool, &c, &a), OK);
    assert_ptr_equal(a, &two); /* the warmest */
    pool_drop_idle(pool, close_it);
    assert_int_equal(one, 1);
    assert_int_equal(pool_take(pool, &c, &b), OK);
    assert_null(b);
    pool_give(pool, NULL);
    pool_give(pool, &two);
    pool_free(pool, close_it);
    assert_int_equal(two, 1);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_come_first_served),
        cmocka_unit_test(nobody_waits_longer),
        cmocka_unit_test(what_idles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
