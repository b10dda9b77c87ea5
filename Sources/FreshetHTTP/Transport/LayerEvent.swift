/// Something that a layer did to a request, as traces, metrics and the log show it. A cache reports a ``CacheStatus`` instead.
///
/// A layer of your own reports one by emitting `.phase(.layer(…))` before the head of the response.
public struct LayerEvent: Sendable, Hashable, CustomStringConvertible {
    /// The layer's name in lower case, with underscores: `rate_limit`. It becomes a dimension of metrics.
    public let layer: String
    /// What the layer did, in the same form: `waited`.
    public let name: String
    /// How long the layer has held the request back, if it did.
    public let duration: Duration?

    public init(_ layer: String, _ name: String, for duration: Duration? = nil) {
        self.layer = layer
        self.name = name
        self.duration = duration
    }

    /// The transport has sent the request once more within one attempt, because the server has refused it unprocessed or a kept
    /// connection was dead.
    public static let sentAgain = LayerEvent("transport", "sent_again")

    public var description: String {
        let words = "\(layer): \(name)".replacing("_", with: " ")
        guard let duration else { return words }
        return "\(words) \((duration / .milliseconds(1)).rounded() / 1000) s"
    }
}

extension ResponsePart {
    /// Such a part says nothing about the transfer, which may not have begun.
    var isLayerEvent: Bool { if case .phase(.layer) = self { true } else { false } }

    /// A part of a response's body or what comes after it.
    var followsHead: Bool {
        switch self {
        case .body, .trailers: true
        case .phase, .sent, .informational, .head: false
        }
    }
}
