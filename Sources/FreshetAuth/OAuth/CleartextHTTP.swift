import FreshetHTTP

extension HTTPClientError {
    /// The error of a request that would send a secret to `origin` without encryption.
    static func exposed(_ origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, origin: origin.description,
            message: "a credential would go over plain http to another machine",
            recoverySuggestion: .allowPlainHTTP, isUnsent: true)
    }
}

extension Origin {
    /// Checks that secrets may be sent to the origin.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest` if they would be sent without encryption and `allowed` is false.
    func checkExposure(allowed: Bool) throws {
        if isExposed, !allowed { throw HTTPClientError.exposed(self) }
    }
}
