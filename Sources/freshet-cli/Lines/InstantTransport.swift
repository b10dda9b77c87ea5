import Freshet

extension HTTPClient {
    /// The same client, which answers everything at once, without a network: what is left is what `run` itself costs.
    var withoutNetwork: HTTPClient {
        HTTPClient(
            transport: ObservableTransport { _ in .from(Self.instantParts) }, scheduler: scheduler,
            interceptors: interceptors, configuration: configuration)
    }

    private static let instantParts: [ResponsePart] = [
        .head(
            HTTPResponse(
                status: .ok,
                headerFields: [
                    .server: "freshet", .contentType: "application/octet-stream", .contentLength: "200",
                    .connection: "keep-alive", .acceptRanges: "bytes",
                ])),
        .body([UInt8](repeating: UInt8(ascii: "a"), count: 200)),
    ]
}
