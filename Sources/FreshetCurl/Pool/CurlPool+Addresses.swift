import FreshetCore
import FreshetHTTP
import FreshetLoop

// Finds the addresses of origins.
extension CurlPool {
    /// Whether the transfer can be given to libcurl now. Otherwise it waits for an address, or has ended.
    func isReachable(_ transfer: CurlTransfer) -> Bool {
        let originPool = transfer.state.entry.originPool!
        let route = originPool.route ?? findRoute(for: originPool)
        if let problem = route.problem {
            leave(transfer, transfer.state.error(.invalidRequest, problem.message, problem.recoverySuggestion))
            return false
        }
        if route.destinations.isEmpty { return true }
        let now = loop.turn
        for destination in route.destinations where destination.name.due <= now {
            // A kept connection needs no address. If it is lost now, libcurl still has the expired addresses.
            if !transfer.state.needsNewConnection, destination.name.generation > 0,
                originPool.idle > 0 || (originPool.multiplexes && originPool.open > 0)
            {
                continue
            }
            // Against the clock, which goes on while one turn repeats a request that fails at once.
            if let failure = destination.name.failure, failure.due > loop.now {
                leave(transfer, unresolved(destination.name, failure.reason, transfer))
            } else {
                wait(transfer, for: destination.name)
            }
            return false
        }
        return true
    }

    private func findRoute(for originPool: OriginPool) -> Route {
        let route = route(to: originPool.origin)
        originPool.route = route
        return route
    }

    private func route(to origin: Origin) -> Route {
        let settings = configuration.addresses
        if origin.scheme == "https", let problem = configuration.tls.pinProblem { return Route(problem: problem) }
        let pins = configuration.tls.pins(for: origin)
        if let local = settings.localAddress, !DNSCache.isAddress(local) {
            return Route(
                problem: ("the local address is no IP address", "use an address of this machine, or an interface"))
        }
        if let path = settings.unixSockets[origin] ?? settings.unixSocket {
            return Route(socketPath: path, pinnedKeys: pins)
        }
        let host = origin.bareHost
        switch proxies.proxy(scheme: origin.scheme, host: host) {
        case .direct:
            return Route(
                destinations: [state.dnsCache.destination(host, origin.port)].compactMap { $0 }, pinnedKeys: pins)
        case .proxy(let proxy):
            let server = proxy.wantsAddresses ? state.dnsCache.destination(host, origin.port) : nil
            return Route(
                destinations: [state.dnsCache.destination(proxy.host, proxy.port), server].compactMap { $0 },
                proxy: proxy,
                pinnedKeys: pins)
        case .malformed:
            return Route(
                problem: (
                    "the proxy's URL was not understood",
                    "write it as scheme://user:password@host:port, the scheme one of http, https, socks5h, socks5, socks4a and socks4"
                ))
        }
    }

    // MARK: Waiting

    private func wait(_ transfer: CurlTransfer, for name: CachedHost) {
        name.append(transfer)
        checkDeadline(of: transfer)
        guard name.lookup == nil, transfer.state.awaited != nil else { return }
        let ticket = name.beginLookup()
        let resolver = configuration.addresses.resolver
        name.lookup = resolver.addresses(of: name.host).subscribe { [weak self] result in
            self?.submit(.resolved(name, result, ticket))
        }
    }

    func stopWaiting(_ transfer: CurlTransfer) {
        if let name = transfer.state.awaited, name.remove(transfer) { _ = name.endLookup() }
    }

    func resolved(_ name: CachedHost, _ result: Result<[String], any Error>, _ ticket: Int) {
        guard ticket == name.ticket else { return }
        let waiting = name.endLookup()
        let settings = configuration.addresses
        let reason: String?
        switch result {
        case .success(let addresses) where !addresses.isEmpty && addresses.allSatisfy(DNSCache.isAddress):
            name.learn(addresses, until: loop.now.advanced(by: settings.timeToLive))
            reason = nil
        case .success(let addresses):
            reason = addresses.isEmpty ? "it has no address" : "the resolver returned a text that is not an address"
        case .failure(let error):
            reason = (error as? NameLookup.Failure)?.reason ?? "the resolver failed"
        }
        let isExhausted = reason != nil && OpenFiles.areExhausted
        if let reason, !isExhausted { name.fail(reason, until: loop.now.advanced(by: settings.failureTimeToLive)) }
        for transfer in waiting where transfer.state.isRunning {
            dropDeadline(of: transfer)
            if isExhausted {
                waitForDescriptors(transfer)
            } else if let reason {
                leave(transfer, unresolved(name, reason, transfer))
            } else {
                proceed(transfer)
            }
        }
    }

    private func unresolved(_ name: CachedHost, _ reason: String, _ transfer: CurlTransfer) -> HTTPClientError {
        let whose = transfer.state.route?.proxy?.host == name.host ? "the proxy's" : "the"
        return transfer.state.error(
            .resolve, "\(whose) host name \(HostName.readable(name.host)) was not resolved (\(reason))",
            .overrideAddress)
    }
}
