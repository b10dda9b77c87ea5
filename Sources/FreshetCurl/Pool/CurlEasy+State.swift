import CFreshetCurl

extension CurlEasy {
    /// What changes with each transfer that the handle serves.
    struct State: ~Copyable {
        var transfer: CurlTransfer?
        /// Among its multi's active handles.
        var position = 0
        /// What ``prepare(for:)`` has set, to be undone by ``clear()``.
        var set = OptionsSet()
        /// The sockets that were opened for a connection that is not made yet.
        var opening: [curl_socket_t] = []
        var url: CurlURL?
        var head = RequestHead()
        var headers = HeaderLines()
        /// What libcurl has of them.
        var givenHeaders: UnsafeMutablePointer<curl_slist>?
        /// Whether it waits for a connection that others share, as it was set last.
        var shares: Bool?
        /// Whether connecting may take longer than libcurl lets it by itself.
        var isPatient = false
        /// Nothing but a refusal has libcurl send a request again.
        var isGuarded = false
        var peer = PeerAddress()
        /// Whether TLS was still open when libcurl asked last; see ``watchEnd()``.
        var isCutOff = false
        /// What libcurl is told of addresses with this transfer.
        var loading: [(destination: Destination, generation: UInt32)] = []
        var loadingList: CurlList?
    }
}
