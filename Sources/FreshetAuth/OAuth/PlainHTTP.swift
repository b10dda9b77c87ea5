import FreshetHTTP

extension HTTPClientError {
    /// A secret was about to be sent to `origin`, where everybody on the way could read it.
    static func exposed(_ origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, origin: origin.description,
            message: "a credential would go over plain http to another machine; use https, or allow plain http there",
            isUnsent: true)
    }
}
