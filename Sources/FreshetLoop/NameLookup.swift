import CFreshetUV
import FreshetCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A question to the system's resolver for the addresses of a name, on a thread that nobody waits for.
///
/// The system's call can't be interrupted and takes as long as the name servers are silent: on libuv's pool it would keep
/// files waiting, and a loop could not end before it. So there are threads of their own, a few for the process, which
/// come with the questions and go with the last.
package final class NameLookup: Sendable {
    package enum Failure: Error, Sendable {
        /// What the system says of it.
        case refused(String)
    }

    package typealias Completion = @Sendable (Result<[String], Failure>) -> Void

    private let host: String
    private let completion: Locked<Completion?>

    private init(_ host: String, _ completion: @escaping Completion) {
        self.host = host
        self.completion = Locked(completion)
    }

    /// Who asks while the same question is under way gets its answer.
    ///
    /// - Parameters:
    ///   - host: a name in ASCII.
    ///   - completion: called once, on any thread, with numeric addresses in the order in which to try them; not after
    ///     ``cancel()``.
    package static func start(_ host: String, completion: @escaping Completion) -> NameLookup {
        let lookup = NameLookup(host, completion)
        if questions.withLock({ $0.add(lookup, host) }) { addThread() }
        return lookup
    }

    /// What has not begun never begins; an answer that comes late is let go of.
    package func cancel() {
        completion.withLock { $0 = nil }
        Self.questions.withLock { $0.remove(self, host) }
    }

    private func complete(_ result: Result<[String], Failure>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }

    // MARK: The threads

    private struct Questions {
        private static let threadLimit = 16
        private var askers: [String: [NameLookup]] = [:]
        /// Those that no thread has taken.
        private var waiting: [String] = []
        private var threads = 0

        /// - Returns: whether one more thread is needed.
        mutating func add(_ lookup: NameLookup, _ host: String) -> Bool {
            askers[host, default: []].append(lookup)
            guard askers[host]?.count == 1 else { return false }
            waiting.append(host)
            guard threads < Self.threadLimit else { return false }
            threads += 1
            return true
        }

        mutating func remove(_ lookup: NameLookup, _ host: String) {
            askers[host]?.removeAll { $0 === lookup }
            if askers[host]?.isEmpty == true, let index = waiting.firstIndex(of: host) {
                waiting.remove(at: index)
                askers[host] = nil
            }
        }

        /// The next question for a thread, which ends if there is none.
        mutating func next() -> String? {
            if waiting.isEmpty {
                threads -= 1
                return nil
            }
            return waiting.removeFirst()
        }

        mutating func askers(of host: String) -> [NameLookup] {
            askers.removeValue(forKey: host) ?? []
        }

        /// A thread was not to be had: without any other there is no answer either.
        mutating func lackThread() -> [NameLookup] {
            threads -= 1
            guard threads == 0 else { return [] }
            defer { waiting = [] }
            return waiting.flatMap { askers(of: $0) }
        }
    }

    private static let questions = Locked(Questions())

    private static func addThread() {
        let result = freshet_start_detached { _ in
            freshet_name_thread("freshet-names")
            while let host = NameLookup.questions.withLock({ $0.next() }) {
                let result = NameLookup.addresses(of: host)
                for lookup in NameLookup.questions.withLock({ $0.askers(of: host) }) { lookup.complete(result) }
            }
            return nil
        }
        guard result != 0 else { return }
        for lookup in questions.withLock({ $0.lackThread() }) {
            lookup.complete(.failure(.refused("the system has no thread left to ask on")))
        }
    }

    // MARK: The question

    private static func addresses(of host: String) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = freshet_stream_socket
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else { return .failure(.refused(String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let info = next {
            next = info.pointee.ai_next
            // An address of one link alone means nothing without its zone, which a list of addresses has no place for.
            guard let address = text(of: info.pointee), !address.contains("%"), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return addresses.isEmpty ? .failure(.refused("the name has no address that can be used")) : .success(addresses)
    }

    private static func text(of info: addrinfo) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            let code = getnameinfo(
                info.ai_addr, info.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            return code == 0 ? String(cString: text.baseAddress!) : nil
        }
    }
}
