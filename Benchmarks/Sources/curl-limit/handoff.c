#include "handoff.h"

#include <stdlib.h>
#include <string.h>

#include "tally.h"

/// Both ways a burst is one wake-up: who puts the first thing into an empty queue wakes the other side, who takes all.
typedef struct {
    uv_mutex_t lock;
    uv_async_t wakeup;
    uv_cond_t has_answers;
    /// Requests that the loop has not seen, all alike.
    size_t asked;
    /// Answers that the asking thread has not seen.
    Answer *answers;
    size_t answer_count;

    // The loop's side.
    Fleet *fleet;
    uv_check_t turn;
    Answer *ready;
    size_t ready_count;

    const Options *options;
    uv_loop_t *loop;
} Handoff;

static void answered(void *context, Answer answer) {
    Handoff *handoff = context;
    handoff->ready[handoff->ready_count++] = answer;
}

static void take_requests(uv_async_t *wakeup) {
    Handoff *handoff = wakeup->data;
    uv_mutex_lock(&handoff->lock);
    size_t count = handoff->asked;
    handoff->asked = 0;
    uv_mutex_unlock(&handoff->lock);
    while (count--) fleet_send(handoff->fleet);
}

static void hand_back(uv_check_t *turn) {
    Handoff *handoff = turn->data;
    if (!handoff->ready_count) return;
    uv_mutex_lock(&handoff->lock);
    bool wakes = handoff->answer_count == 0;
    memcpy(handoff->answers + handoff->answer_count, handoff->ready, handoff->ready_count * sizeof(Answer));
    handoff->answer_count += handoff->ready_count;
    uv_mutex_unlock(&handoff->lock);
    handoff->ready_count = 0;
    if (wakes) uv_cond_signal(&handoff->has_answers);
}

// MARK: The asking thread

static void ask(Handoff *handoff) {
    uv_mutex_lock(&handoff->lock);
    bool wakes = handoff->asked++ == 0;
    uv_mutex_unlock(&handoff->lock);
    if (wakes) uv_async_send(&handoff->wakeup);
}

static size_t wait_for_answers(Handoff *handoff, Answer **spare) {
    uv_mutex_lock(&handoff->lock);
    while (!handoff->answer_count) uv_cond_wait(&handoff->has_answers, &handoff->lock);
    size_t count = handoff->answer_count;
    Answer *full = handoff->answers;
    handoff->answers = *spare;
    handoff->answer_count = 0;
    uv_mutex_unlock(&handoff->lock);
    *spare = full;
    return count;
}

static void ask_for_all(void *context) {
    Handoff *handoff = context;
    const Options *options = handoff->options;
    Answer *answers = calloc(options->concurrency, sizeof(Answer));
    size_t unsent = options->requests - options->concurrency;
    Tally tally;
    tally_begin(&tally, options->requests);
    for (size_t i = 0; i < options->concurrency; i++) ask(handoff);
    while (tally.count < options->requests) {
        size_t count = wait_for_answers(handoff, &answers);
        for (size_t i = 0; i < count; i++) {
            tally_add(&tally, answers[i]);
            if (!unsent) continue;
            unsent--;
            ask(handoff);
        }
    }
    tally_print(&tally);
    tally_free(&tally);
    free(answers);
    uv_stop(handoff->loop);
    uv_async_send(&handoff->wakeup);
}

void handoff_run(uv_loop_t *loop, const Options *options) {
    Handoff handoff = {.options = options, .loop = loop};
    uv_mutex_init(&handoff.lock);
    uv_cond_init(&handoff.has_answers);
    uv_async_init(loop, &handoff.wakeup, take_requests);
    handoff.wakeup.data = &handoff;
    // libuv calls the last one that came first, so this is behind the fleet's own, which end the turn's transfers.
    uv_check_init(loop, &handoff.turn);
    handoff.turn.data = &handoff;
    uv_check_start(&handoff.turn, hand_back);
    handoff.fleet = fleet_new(loop, options, answered, &handoff);
    handoff.answers = calloc(options->concurrency, sizeof(Answer));
    handoff.ready = calloc(options->concurrency, sizeof(Answer));
    uv_thread_t asker;
    uv_thread_create(&asker, ask_for_all, &handoff);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_thread_join(&asker);
    fleet_free(handoff.fleet);
    uv_close((uv_handle_t *)&handoff.wakeup, NULL);
    uv_close((uv_handle_t *)&handoff.turn, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    free(handoff.answers);
    free(handoff.ready);
    uv_cond_destroy(&handoff.has_answers);
    uv_mutex_destroy(&handoff.lock);
}
