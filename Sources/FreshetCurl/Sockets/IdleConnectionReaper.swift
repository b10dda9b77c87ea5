import CFreshetCurl
import FreshetCore
import FreshetLoop

/// Closes the kept connections of a multi that have expired.
///
/// libcurl checks kept connections only when it makes a new connection, so the last ones would stay open for ever. A handle
/// whose connection fails before it has a socket makes libcurl check them. That costs one check from time to time, as long
/// as any are kept.
final class IdleConnectionReaper {
    private unowned let multi: CurlMulti
    private let limits: CurlTransport.Configuration.Pool
    private var next: Timeline<LoopTimerBackend>.Item?
    /// When the next check is, so that an earlier one can replace it.
    private var due = Instant(sinceStart: .never)
    private var running: UnsafeMutableRawPointer?
    private(set) var kept = 0

    init(of multi: CurlMulti, _ limits: CurlTransport.Configuration.Pool) {
        self.multi = multi
        self.limits = limits
    }

    /// Counts the kept connections when a connection becomes idle or is used again.
    func countChanged(by difference: Int) {
        kept += difference
        if kept > 0, next == nil { sweep(after: limits.firstInterval) }
    }

    /// Schedules a check, because a kept connection has ended. libcurl checks at most once per second.
    func scheduleSweep() {
        sweep(after: .seconds(1))
    }

    func close() {
        if let next { multi.loop.timers.remove(next) }
        next = nil
        end()
    }

    private func sweep(after span: Duration) {
        let new = multi.loop.now.advanced(by: span)
        if let next {
            guard new < due else { return }
            multi.loop.timers.remove(next)
        }
        due = new
        next = multi.loop.timers.insert(at: new) { [unowned self] in
            next = nil
            due = Instant(sinceStart: .never)
            guard kept > 0 else { return }
            begin()
            sweep(after: limits.laterIntervals)
        }
    }

    // MARK: The handle

    private func begin() {
        guard running == nil, let handle = curl_easy_init() else { return }
        running = handle
        freshet_easy_set_string(handle, CURLOPT_URL, "http://127.0.0.1:9/")
        freshet_easy_set_string(handle, CURLOPT_PROXY, "")
        freshet_easy_set_long(handle, CURLOPT_NOSIGNAL, 1)
        freshet_easy_set_long(handle, CURLOPT_DNS_CACHE_TIMEOUT, -1)
        freshet_easy_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
        limits.set(on: handle)
        freshet_easy_set_open_socket(handle) { _, _, _ in freshet_socket_bad }
        multi.begin(handle)
    }

    /// Removes the handle that made libcurl check, when libcurl reports its end.
    func ended(_ handle: UnsafeMutableRawPointer) {
        if handle == running { end() }
    }

    private func end() {
        guard let handle = running else { return }
        running = nil
        multi.end(handle)
        curl_easy_cleanup(handle)
    }
}

extension CurlTransport.Configuration.Pool {
    /// A time in whole seconds, rounded up, as libcurl counts. libcurl closes connections that are older. The time is at most
    /// 34 years, which every libcurl accepts.
    private static func seconds(_ span: Duration) -> Int {
        let (seconds, attoseconds) = span.components
        return max(1, Int(min(seconds, 1 << 30)) + (attoseconds > 0 ? 1 : 0))
    }

    /// Sets on a handle how long connections are kept.
    func set(on handle: UnsafeMutableRawPointer) {
        freshet_easy_set_long(handle, CURLOPT_MAXAGE_CONN, Self.seconds(idleTimeout))
        if let maximumAge { freshet_easy_set_long(handle, CURLOPT_MAXLIFETIME_CONN, Self.seconds(maximumAge)) }
    }

    /// The time from the first kept connection to its check.
    var firstInterval: Duration {
        .seconds(1 + Self.seconds(min(idleTimeout, maximumAge ?? idleTimeout)))
    }

    var laterIntervals: Duration {
        max(.seconds(1), min(idleTimeout, maximumAge ?? idleTimeout) / 4)
    }
}
