import CFreshetCurl

/// The descriptors that libcurl uses for a multi.
struct DescriptorTable {
    private struct Entry {
        var kind = SocketKind.foreign
        var socket: CurlSocket?
        /// The pool of the connection's origin, once the connection is made.
        var originPool: OriginPool?
        var isMultiplexed = false
    }

    private var entries: [Entry] = []
    /// The sockets that the system refuses to watch.
    private var unwatchable: [CurlSocket] = []
    /// The descriptors of kept connections on which surplus bytes can follow the last response.
    private(set) var suspects: [curl_socket_t] = []
    /// The bytes that were left on connections with a request body when they were closed.
    private var pendingResponses: [curl_socket_t: [UInt8]] = [:]

    var sockets: some Sequence<CurlSocket> { entries.lazy.compactMap(\.socket) }

    func kind(of fd: curl_socket_t) -> SocketKind { has(fd) ? entries[Int(fd)].kind : .foreign }
    func socket(of fd: curl_socket_t) -> CurlSocket? { has(fd) ? entries[Int(fd)].socket : nil }
    func originPool(of fd: curl_socket_t) -> OriginPool? { has(fd) ? entries[Int(fd)].originPool : nil }
    /// Whether the descriptor belongs to a made connection that carries many transfers.
    func isMultiplexed(_ fd: curl_socket_t) -> Bool { has(fd) && entries[Int(fd)].isMultiplexed }

    private func has(_ fd: curl_socket_t) -> Bool { fd >= 0 && Int(fd) < entries.count }

    private mutating func grow(to fd: curl_socket_t) {
        while entries.count <= Int(fd) { entries.append(Entry()) }
    }

    /// A socket was opened for a connection.
    mutating func open(_ fd: curl_socket_t) {
        grow(to: fd)
        entries[Int(fd)].kind = .connecting
    }

    /// The connection is made.
    mutating func made(_ fd: curl_socket_t, for originPool: OriginPool, isMultiplexed: Bool) {
        grow(to: fd)
        entries[Int(fd)].kind = .made
        entries[Int(fd)].originPool = originPool
        entries[Int(fd)].isMultiplexed = isMultiplexed
    }

    mutating func watch(_ socket: CurlSocket) {
        grow(to: socket.fd)
        entries[Int(socket.fd)].socket = socket
    }

    /// - Returns: the watched objects that were removed.
    mutating func unwatch(_ fd: curl_socket_t) -> CurlSocket? {
        has(fd) ? entries[Int(fd)].socket.take() : nil
    }

    mutating func close(_ fd: curl_socket_t) {
        guard has(fd) else { return }
        entries[Int(fd)].kind = .foreign
        entries[Int(fd)].originPool = nil
        entries[Int(fd)].isMultiplexed = false
    }

    /// - Returns: the watched objects that were removed.
    mutating func closeAll() -> [CurlSocket] {
        defer { (entries, suspects) = ([], []) }
        return entries.compactMap(\.socket)
    }

    // MARK: Unusual states

    mutating func cannotWatch(_ socket: CurlSocket) { unwatchable.append(socket) }
    mutating func popUnwatchable() -> CurlSocket? { unwatchable.popLast() }

    /// Records a kept connection whose last response arrived in pieces, or without a body. If the server sends more than it has
    /// stated, the surplus follows directly, when the next request may already be on its way.
    mutating func suspect(_ fd: curl_socket_t) {
        if !suspects.contains(fd) { suspects.append(fd) }
    }

    mutating func removeSuspects() {
        if suspects.isEmpty { return }
        suspects = suspects.filter { socket(of: $0)?.isSuspect == true }
    }

    /// A body is sent on the connection.
    mutating func sendsBody(on fd: curl_socket_t) { pendingResponses[fd] = [] }

    /// Reads the remaining bytes of a connection that is about to be closed, because they can be the response.
    mutating func readPendingResponse(on fd: curl_socket_t) {
        if !pendingResponses.isEmpty, pendingResponses[fd] != nil {
            pendingResponses[fd] = PendingResponse.read(from: fd)
        }
    }

    mutating func removePendingResponse(on fd: curl_socket_t) -> [UInt8] {
        pendingResponses.removeValue(forKey: fd) ?? []
    }
}

/// The kind of a descriptor of libcurl.
enum SocketKind {
    /// A descriptor of the resolver, or none.
    case foreign
    /// A socket that the transport has opened for a connection that is not made yet. libcurl can close it without notice.
    case connecting
    case made
}
