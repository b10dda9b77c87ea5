import AsyncHTTPClient
import NIOCore
import NIOSSL
import Peer

/// async-http-client as its documentation shows it.
struct NIOClient: Sendable {
    let options: PeerOptions
    private let client: HTTPClient

    init(_ options: PeerOptions) {
        self.options = options
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
            options.concurrency, options.streams, 8)
        configuration.httpVersion = options.http2 ? .automatic : .http1Only
        // By default connecting takes no longer than 10 s, in which ten thousand streams are not opened.
        configuration.timeout.connect = .minutes(2)
        if let caFile = options.caFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(caFile)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// One request.
    ///
    /// - Returns: the number of the body's bytes, or `nil` if there was no right answer.
    func send() async -> Int? {
        var request = HTTPClientRequest(url: options.url)
        if options.fresh { request.headers.add(name: "Connection", value: "close") }
        do {
            let response = try await client.execute(request, timeout: .seconds(60))
            guard response.status == .ok else { return nil }
            if options.keepsBody { return try await response.body.collect(upTo: .max).readableBytes }
            var count = 0
            for try await buffer in response.body { count += buffer.readableBytes }
            return count
        } catch {
            return nil
        }
    }

    /// Returns when each has said its word; they are left open.
    func openStreams() async -> StreamTally {
        let tally = StreamTally(of: "async-http-client", options.streams)
        let opening = Opening(options.streams)
        for _ in 0..<options.streams {
            await opening.place()
            Task { await hold(opening) }
        }
        tally.areOpen(lost: await opening.end())
        return tally
    }

    private func hold(_ opening: Opening) async {
        do {
            let request = HTTPClientRequest(url: options.streamURL ?? "")
            let response = try await client.execute(request, timeout: .hours(1))
            var hasSpoken = false
            for try await _ in response.body where !hasSpoken {
                hasSpoken = true
                opening.opened()
            }
            if hasSpoken { return }
        } catch {}
        opening.failed()
    }
}
