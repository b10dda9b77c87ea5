import CFreshetCurl

extension CurlEasy {
    /// The state that changes with each transfer of the handle.
    struct State: ~Copyable {
        var transfer: CurlTransfer?
        /// The index among the active handles of its multi.
        var position = 0
        /// The options that ``prepare(for:)`` has set and that ``clear()`` resets.
        var set = ChangedOptions()
        /// What libcurl has refused. The handle serves no transfer then.
        var refusal: (what: StaticString, error: CurlError)?
        /// The sockets that were opened for a connection that is not made yet.
        var opening: [curl_socket_t] = []
        var url: CurlURL?
        var head = RequestHead()
        var headers = HeaderLines()
        /// The list that libcurl uses.
        var givenHeaders: UnsafeMutablePointer<curl_slist>?
        /// Whether the handle waits for a connection that it can share (`CURLOPT_PIPEWAIT`); `nil` if that was not set
        /// yet.
        var shares: Bool?
        /// libcurl's limit for connecting in milliseconds; 0 is its default.
        var connectLimit = 0
        /// Whether libcurl sends a request again only if the server has refused it.
        var isGuarded = false
        var peer = PeerAddress()
        /// Whether TLS was still open at libcurl's last progress call; see ``watchEnd()``.
        var isCutOff = false
        /// The destinations whose addresses libcurl gets with this transfer.
        var loading: [(destination: Destination, generation: UInt32)] = []
        var loadingList: CurlList?
    }
}
