public import FreshetCore
import FreshetHTTP

/// Receives the callback from a person who copies the address of the page that the browser could not open.
///
/// It is for machines without a browser. Each line is checked like any other callback. The end of the lines ends the login.
public struct PasteReceiver: CallbackReceiver {
    private let lines: Observable<String>
    private let redirectURI: String

    /// - Parameters:
    ///   - lines: the lines that the person enters.
    ///   - redirectURI: a loopback address without a listener.
    public init(lines: Observable<String>, redirectURI: String = "http://127.0.0.1/callback") {
        self.lines = lines
        self.redirectURI = redirectURI
    }

    @preconcurrency
    public func receive(
        ready: @escaping @Sendable (_ redirectURI: String) -> Void,
        received: @escaping @Sendable (Callback) -> CallbackResult,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> any Disposable {
        ready(redirectURI)
        let end = HTTPClientError(
            .cancelled, phase: .waiting, message: "the input ended before the address of the callback came",
            recoverySuggestion: "copy the whole address from the browser, and begin the login again")
        return lines.subscribe(
            onNext: { line in
                let address = line.split(separator: "#", omittingEmptySubsequences: false)[0]
                let query = address.split(separator: "?", maxSplits: 1).dropFirst().first ?? address
                _ = received(Callback(query: query.filter { !$0.isWhitespace }))
            }, onError: failed, onCompleted: { failed(end) })
    }
}
