#include "multi.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sockets.h"

/// More would keep the loop from its sockets while a fast server answers at once.
static const int rounds_a_turn = 4;

struct Multi {
    CURLM *curl;
    Finished *finished;
    Sockets sockets;
    uv_timer_t timer;
    /// After the sockets of a turn.
    uv_check_t turn;
    /// Keeps the loop from sleeping while something is due.
    uv_idle_t awake;
    /// libcurl wants to be called at once: done once a turn, for all that were added.
    bool is_due;
    int open_handles;
};

static void act(Multi *multi, curl_socket_t socket, int mask) {
    int running;
    curl_multi_socket_action(multi->curl, socket, mask, &running);
}

static void collect(Multi *multi) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi->curl, &left))) {
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;
        curl_multi_remove_handle(multi->curl, easy);
        multi->finished(easy, code);
    }
}

static void stay_awake(uv_idle_t *awake) {
    (void)awake;
}

static void end_turn(Multi *multi) {
    collect(multi);
    for (int round = 0; multi->is_due && round < rounds_a_turn; round++) {
        multi->is_due = false;
        act(multi, CURL_SOCKET_TIMEOUT, 0);
        collect(multi);
    }
    if (!multi->is_due) uv_idle_stop(&multi->awake);
}

static void turned(uv_check_t *turn) {
    end_turn(turn->data);
}

static void timer_fired(uv_timer_t *timer) {
    Multi *multi = timer->data;
    act(multi, CURL_SOCKET_TIMEOUT, 0);
    end_turn(multi);
}

static int set_timer(CURLM *curl, long milliseconds, void *context) {
    (void)curl;
    Multi *multi = context;
    if (milliseconds == 0) {
        multi->is_due = true;
        uv_idle_start(&multi->awake, stay_awake);
    } else if (milliseconds < 0) {
        uv_timer_stop(&multi->timer);
    } else {
        uv_timer_start(&multi->timer, timer_fired, (uint64_t)milliseconds, 0);
    }
    return 0;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *of_socket) {
    (void)easy, (void)of_socket;
    sockets_watch(&((Multi *)context)->sockets, socket, what);
    return 0;
}

static int close_socket(void *context, curl_socket_t socket) {
    return sockets_close(&((Multi *)context)->sockets, socket);
}

static void socket_fired(void *context, curl_socket_t socket, int mask) {
    act(context, socket, mask);
}

Multi *multi_new(uv_loop_t *loop, long connections, Finished *finished) {
    Multi *multi = calloc(1, sizeof *multi);
    multi->finished = finished;
    multi->sockets = (Sockets){.loop = loop, .fired = socket_fired, .context = multi};
    uv_timer_init(loop, &multi->timer);
    uv_check_init(loop, &multi->turn);
    uv_idle_init(loop, &multi->awake);
    multi->timer.data = multi->turn.data = multi->awake.data = multi;
    multi->open_handles = 3;
    uv_check_start(&multi->turn, turned);
    multi->curl = curl_multi_init();
    curl_multi_setopt(multi->curl, CURLMOPT_MAXCONNECTS, connections);
    curl_multi_setopt(multi->curl, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi->curl, CURLMOPT_TIMERDATA, multi);
    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETDATA, multi);
    return multi;
}

void multi_add(Multi *multi, CURL *easy) {
    // The only place where it is known that a descriptor dies; set here, for it is the multi's connections that it is for.
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, multi);
    curl_multi_add_handle(multi->curl, easy);
}

void multi_remove(Multi *multi, CURL *easy) {
    curl_multi_remove_handle(multi->curl, easy);
}

static void closed(uv_handle_t *handle) {
    Multi *multi = handle->data;
    if (--multi->open_handles == 0) free(multi);
}

void multi_free(Multi *multi) {
    curl_multi_cleanup(multi->curl);
    sockets_free(&multi->sockets);
    uv_close((uv_handle_t *)&multi->timer, closed);
    uv_close((uv_handle_t *)&multi->turn, closed);
    uv_close((uv_handle_t *)&multi->awake, closed);
}
