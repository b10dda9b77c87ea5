import CFreshetUV

/// Makes one thread wait for another, once.
package final class Semaphore: Sendable {
    private nonisolated(unsafe) let raw: UnsafeMutablePointer<uv_sem_t>

    package init() {
        raw = .allocate(capacity: 1)
        uv_sem_init(raw, 0)
    }

    deinit {
        uv_sem_destroy(raw)
        raw.deallocate()
    }

    package func signal() { uv_sem_post(raw) }
    package func wait() { uv_sem_wait(raw) }
}
