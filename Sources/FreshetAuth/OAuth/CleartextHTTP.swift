import FreshetHTTP

extension HTTPClientError {
    /// A secret was about to be sent to `origin`, where everybody on the way could read it.
    static func exposed(_ origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, origin: origin.description,
            message: "a credential would go over plain http to another machine",
            recoverySuggestion: "use https, or allow plain http there",
            isUnsent: true)
    }
}

extension Origin {
    /// - Throws: `HTTPClientError` with code `invalidRequest` if secrets would go there for everybody to read, and may not.
    func checkExposure(allowed: Bool) throws {
        if isExposed, !allowed { throw HTTPClientError.exposed(self) }
    }
}
