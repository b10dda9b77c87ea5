import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on the loops of a group. Each loop has its own connections.
///
/// A request that is sent on one of the loops stays on that loop, which delivers all of its events. Requests from other
/// threads go to the loops in turn. The turns are counted per origin, so that no loop gets all requests of one origin. The
/// limits of the configuration apply to all loops together.
public final class CurlGroupTransport: Transport {
    public let configuration: CurlTransport.Configuration
    /// One transport per loop, in the group's order.
    public let transports: [CurlTransport]
    private let turns = Locked(Turns())

    /// Creates a transport on all loops of a group, with separate connections on each loop.
    ///
    /// - Parameters:
    ///   - group: runs everything; its shutdown also ends the transport.
    ///   - configuration: the limits of all loops together.
    public init(group: LoopGroup, configuration: CurlTransport.Configuration = CurlTransport.Configuration()) {
        self.configuration = configuration
        transports = group.loops.indices.map { index in
            CurlTransport(loop: group.loops[index], configuration: configuration.share(index, of: group.loops.count))
        }
    }

    /// See `Transport`. The loop is chosen when the transfer is created.
    public func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        transport(for: request).transfer(request, to: receiver)
    }

    private func transport(for request: Request) -> CurlTransport {
        for transport in transports where transport.pool.loop.isCurrent { return transport }
        let turn = turns.withLock { $0.next(for: request.url, of: transports.count) }
        return transports[turn]
    }

    /// See ``CurlTransport/shutdown()``.
    public func shutdown() {
        for transport in transports { transport.shutdown() }
    }
}

/// The loop that gets the next request, per origin.
private struct Turns {
    private final class Turn {
        var number = 0
    }

    /// The number of origins that are remembered. Beyond it, all origins start again at the first loop.
    private static let remembered = 4096

    private var origins: [Origin: Turn] = [:]
    /// The latest URL, so that many requests in a row to the same URL look up its origin once.
    private var latest: (url: RequestURL, turn: Turn)?

    mutating func next(for url: RequestURL, of count: Int) -> Int {
        let turn = turn(for: url)
        let number = turn.number
        turn.number = (number + 1) % count
        return number
    }

    private mutating func turn(for url: RequestURL) -> Turn {
        if let latest, latest.url.identity == url.identity { return latest.turn }
        if origins.count >= Self.remembered { origins = [:] }
        let turn = origins[url.origin] ?? Turn()
        origins[url.origin] = turn
        latest = (url, turn)
        return turn
    }
}

extension CurlTransport.Configuration {
    /// The limits of loop `index` of `count`. No limit is below 1.
    fileprivate func share(_ index: Int, of count: Int) -> Self {
        func part(of total: Int) -> Int { max(1, total / count + (index < total % count ? 1 : 0)) }
        var share = self
        share.pool.maximumConnectionsPerOrigin = part(of: pool.maximumConnectionsPerOrigin)
        share.pool.maximumConnections = part(of: pool.maximumConnections)
        share.pool.maximumLongLived = part(of: pool.maximumLongLived)
        share.pool.queueLimit = part(of: pool.queueLimit)
        return share
    }
}
