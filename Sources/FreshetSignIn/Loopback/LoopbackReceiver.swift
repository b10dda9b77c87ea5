public import FreshetCore
import FreshetHTTP
public import FreshetLoop

/// Receives the callback of a login by browser on a loopback address of this machine. Source: RFC 8252 section 7.3.
///
/// The port is bound before the redirect URI is created, and closed after the accepted callback. Other requests get an error
/// and change nothing: another path gets 404, another method 405, a callback of another login 400. A prefetch gets 204. The
/// page for the browser is fixed and repeats nothing from the request. The login fails with an `HTTPClientError` of code
/// `cancelled` if the loop is shut down.
public struct LoopbackReceiver: CallbackReceiver {
    /// The host in the redirect URI.
    public enum Host: String, Sendable, Hashable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "::1"
        /// For servers that do not accept an IP address. The receiver listens on both addresses.
        case localhost
    }

    /// The parts of the redirect URI.
    public struct Address: Sendable, Hashable {
        public var host = Host.ipv4
        /// The port from 1 to 65535; 0 selects any free port. The login fails with code `invalidRequest` for another number.
        public var port = 0
        /// The path, with its leading slash.
        public var path = "/callback"

        public init() {}
    }

    private let loop: Loop
    private let address: Address

    public init(on loop: Loop, address: Address = Address()) {
        self.loop = loop
        self.address = address
    }

    @preconcurrency
    public func receive(
        ready: @escaping @Sendable (_ redirectURI: String) -> Void,
        received: @escaping @Sendable (Callback) -> CallbackResult,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> any Disposable {
        let listener = LoopBound<LoopbackListener?>.sending(nil, on: loop)
        let isWanted = BooleanDisposable()
        let isAccepted = loop.execute { [loop, address] in
            if isWanted.isDisposed { return }
            do {
                let opened = try LoopbackListener(on: loop, address, received, failed)
                listener.value = opened
                ready(opened.redirectURI)
            } catch {
                failed(error)
            }
        }
        if !isAccepted { failed(HTTPClientError.loginLoopEnded) }
        return Disposables.create { [loop] in
            isWanted.dispose()
            loop.execute {
                listener.value?.close()
                listener.value = nil
            }
        }
    }
}
