import Foundation
import Freshet

/// The client as the options want it, with what it stands on.
struct LiveClient {
    let http: HTTPClient
    /// The gate to the profile's credential, if there is a profile.
    let gate: RefreshGate?
    private let loop: Loop
    private let transports: [CurlTransport]

    init(_ options: RequestOptions, maximumBodySize: Int = .max) throws {
        let profile = try options.profile.profile()
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = maximumBodySize
        configuration.timeout = options.timeout?.duration ?? configuration.timeout
        if options.http2 { configuration.transfer.version = .http2 }
        let loop = try Loop()
        self.loop = loop
        // A refresh has connections of its own: it must not wait for those who wait for it.
        transports = [loop, loop].map { CurlTransport(loop: $0, configuration: .init(options)) }
        let plain = transports.map { transport in
            HTTPClient(transport: transport, scheduler: LoopScheduler(loop), configuration: configuration)
        }
        let authentication = try profile?.interceptor(refreshingBy: plain[1], on: loop)
        gate = authentication?.gate
        var interceptors: [any RequestInterceptor] = authentication.map { [$0] } ?? []
        if options.retry > 0 { interceptors.append(RetryPolicy(options)) }
        http = plain[0].with(interceptors: interceptors)
    }

    func shutdown() {
        for transport in transports { transport.shutdown() }
        loop.shutdown()
    }
}

extension RetryPolicy {
    fileprivate init(_ options: RequestOptions) {
        self.init(limit: options.retry)
        includesAllMethods = options.retryAll
    }
}

extension CurlTransport.Configuration {
    fileprivate init(_ options: RequestOptions) {
        self.init()
        if let trustRoots = options.trustRoots { caFile = trustRoots }
    }
}
