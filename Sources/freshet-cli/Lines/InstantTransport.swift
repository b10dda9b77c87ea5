import Freshet

/// Answers everything at once, without a network: what is left is what `run` itself costs.
struct InstantTransport: Transport {
    private static let parts: [ResponsePart] = [
        .head(
            HTTPResponse(
                status: .ok,
                headerFields: [
                    .server: "freshet", .contentType: "application/octet-stream", .contentLength: "200",
                    .connection: "keep-alive", .acceptRanges: "bytes",
                ])),
        .body([UInt8](repeating: UInt8(ascii: "a"), count: 200)),
    ]

    func send(_ request: Request) -> Observable<ResponsePart> {
        .from(Self.parts)
    }
}

extension HTTPClient {
    /// The same client, answered by ``InstantTransport``.
    var withoutNetwork: HTTPClient {
        HTTPClient(
            transport: InstantTransport(), scheduler: scheduler, interceptors: interceptors,
            configuration: configuration)
    }
}
