public import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on the loops of a group, each loop with connections of its own.
///
/// A request that is sent on one of the loops stays there, and all of it is delivered there. Requests from other threads go
/// to the loops in turn, each origin's for itself, so that no loop gets all of one. The limits of the configuration are
/// those of all loops together.
public final class CurlGroupTransport: Transport {
    /// Of so many origins it is known whose turn it is; beyond that the turns begin anew.
    private static let remembered = 4096

    public let configuration: CurlTransport.Configuration
    /// One a loop, in the group's order.
    public let transports: [CurlTransport]
    private let turns = Locked<[Origin: Int]>([:])

    /// - Parameters:
    ///   - group: runs everything; ends the transport too when it is shut down.
    ///   - configuration: the limits of all loops together.
    public init(group: LoopGroup, configuration: CurlTransport.Configuration = CurlTransport.Configuration()) {
        self.configuration = configuration
        transports = group.loops.indices.map { index in
            CurlTransport(loop: group.loops[index], configuration: configuration.share(index, of: group.loops.count))
        }
    }

    /// See `Transport`. The loop is chosen at each subscription.
    public func send(_ request: Request) -> Observable<ResponsePart> {
        .deferred { self.transport(for: request).send(request) }
    }

    public func send(
        _ request: Request, preparedBy prepare: @escaping @Sendable (Request) -> Single<Request>
    ) -> Observable<ResponsePart> {
        .deferred { self.transport(for: request).send(request, preparedBy: prepare) }
    }

    private func transport(for request: Request) -> CurlTransport {
        for transport in transports where transport.pool.loop.isCurrent { return transport }
        let turn = turns.withLock { turns in
            if turns.count >= Self.remembered { turns = [:] }
            let turn = turns[request.url.origin, default: 0]
            turns[request.url.origin] = (turn + 1) % transports.count
            return turn
        }
        return transports[turn]
    }

    /// See ``CurlTransport/shutdown()``.
    public func shutdown() {
        for transport in transports { transport.shutdown() }
    }
}

extension CurlGroupTransport: DirectTransport {
    package func transfer(
        _ request: Request, options: TransferOptions, number: Int, to receiver: any TransferReceiver
    ) -> any DirectTransfer {
        transport(for: request).transfer(request, options: options, number: number, to: receiver)
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
