import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on the loops of a group, each loop with connections of its own.
///
/// A request that is sent on one of the loops stays there, and all of it is delivered there. Requests from other threads go
/// to the loops in turn, each origin's for itself, so that no loop gets all of one. The limits of the configuration are
/// those of all loops together.
public final class CurlGroupTransport: Transport {
    public let configuration: CurlTransport.Configuration
    /// One a loop, in the group's order.
    public let transports: [CurlTransport]
    private let turns = Locked(Turns())

    /// A transport on all loops of a group, with connections of its own on each.
    ///
    /// - Parameters:
    ///   - group: runs everything; ends the transport too when it is shut down.
    ///   - configuration: the limits of all loops together.
    public init(group: LoopGroup, configuration: CurlTransport.Configuration = CurlTransport.Configuration()) {
        self.configuration = configuration
        transports = group.loops.indices.map { index in
            CurlTransport(loop: group.loops[index], configuration: configuration.share(index, of: group.loops.count))
        }
    }

    /// See `Transport`. The loop is chosen when the transfer is made.
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

/// Whose turn it is among the loops, for each origin.
private struct Turns {
    private final class Turn {
        var number = 0
    }

    /// Of so many origins it is known; beyond that the turns begin anew.
    private static let remembered = 4096

    private var origins: [Origin: Turn] = [:]
    /// Of many requests in a row to the same address the origin is looked up once.
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
    /// The part of loop `index` of `count`, no limit under one.
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
