import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOSSL
import Peer

// async-http-client as a contender, asked from async code as its documentation shows.
let options = PeerOptions.ofThisProcess()

var configuration = HTTPClient.Configuration()
configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(options.concurrency, 8)
configuration.httpVersion = options.http2 ? .automatic : .http1Only
// By default connecting takes no longer than 10 s, in which ten thousand streams are not opened.
configuration.timeout.connect = .minutes(2)
if let caFile = options.caFile {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(caFile)
    configuration.tlsConfiguration = tls
}
let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)

@Sendable func send(_ options: PeerOptions) async -> Int? {
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

@Sendable func hold(_ options: PeerOptions, _ opening: Opening) async {
    do {
        let response = try await client.execute(HTTPClientRequest(url: options.streamURL ?? ""), timeout: .hours(1))
        var hasSpoken = false
        for try await _ in response.body where !hasSpoken {
            hasSpoken = true
            opening.opened()
        }
        if hasSpoken { return }
    } catch {}
    opening.failed()
}

/// Returns when each has said its word; they are left open.
@Sendable func openStreams(_ options: PeerOptions) async -> StreamTally {
    let tally = StreamTally(of: "async-http-client", options.streams)
    let opening = Opening(options.streams)
    for _ in 0..<options.streams {
        await opening.place()
        Task { await hold(options, opening) }
    }
    tally.areOpen(lost: await opening.end())
    return tally
}

let end = DispatchSemaphore(value: 0)
Task {
    let streams = options.streams > 0 ? await openStreams(options) : nil
    if options.isForStreamsAlone, let streams {
        try await Task.sleep(for: .seconds(options.seconds))
        print(streams.line())
    } else {
        print(await TaskTally.run(of: "async-http-client", options) { await send(options) }.line())
    }
    end.signal()
}
end.wait()
