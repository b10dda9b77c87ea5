import CFreshetUV
import FreshetCore
import Glibc

/// A lookup of the addresses of a host name by the system's resolver, on a thread that no loop waits for.
///
/// The call of the system can't be interrupted, and lasts as long as the name servers do not respond. On libuv's pool
/// it would delay work on files, and a loop could not end before the call has returned. Therefore the process has at
/// most 16 threads for lookups. They start with the lookups and end when no lookup waits.
package final class NameLookup: Sendable {
    package struct Failure: Error, Sendable {
        /// The system's text for the failure, or ours if it has none.
        package let reason: String
    }

    package typealias Completion = @Sendable (Result<[String], Failure>) -> Void

    private let host: String
    private let completion: Locked<Completion?>

    init(_ host: String, _ completion: @escaping Completion) {
        self.host = host
        self.completion = Locked(completion)
    }

    /// Starts a lookup. If another lookup of the same name is running, both get its result.
    ///
    /// - Parameters:
    ///   - host: a host name in ASCII.
    ///   - completion: called once, on any thread, with numeric addresses in the order in which to try them. It is not
    ///     called after ``cancel()``.
    package static func start(_ host: String, completion: @escaping Completion) -> NameLookup {
        let lookup = NameLookup(host, completion)
        if pending.withLock({ $0.add(lookup, host) }) { addThread() }
        return lookup
    }

    /// Cancels the lookup. If the lookup has not begun, it never begins. A later result is dropped.
    package func cancel() {
        // The completion is released outside of the lock, because that can run anything.
        _ = completion.withLock { $0.take() }
        Self.pending.withLock { $0.remove(self, host) }
    }

    private func complete(_ result: Result<[String], Failure>) {
        completion.withLock { $0.take() }?(result)
    }

    // MARK: The threads

    private static let pending = Locked(PendingLookups())

    private static func addThread() {
        let result = freshet_start_detached { _ in
            freshet_name_thread("freshet-names")
            while let host = NameLookup.pending.withLock({ $0.next() }) {
                let result = NameLookup.addresses(of: host)
                for lookup in NameLookup.pending.withLock({ $0.lookups(of: host) }) { lookup.complete(result) }
            }
            return nil
        }
        guard result != 0 else { return }
        for lookup in pending.withLock({ $0.threadStartFailed() }) {
            lookup.complete(.failure(Failure(reason: "the system has no thread left to ask on")))
        }
    }

    // MARK: The lookup

    private static func addresses(of host: String) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = freshet_stream_socket
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else { return .failure(Failure(reason: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let info = next {
            next = info.pointee.ai_next
            // A link-local address is useless without its zone, which a list of addresses cannot contain.
            guard let address = text(of: info.pointee), !address.contains("%"), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return addresses.isEmpty
            ? .failure(Failure(reason: "the name has no address that can be used")) : .success(addresses)
    }

    private static func text(of info: addrinfo) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            let code = getnameinfo(
                info.ai_addr, info.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            return code == 0 ? String(cString: text.baseAddress!) : nil
        }
    }
}
