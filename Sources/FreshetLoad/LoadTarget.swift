public import Freshet

/// The request that a load run sends again and again, and the client that sends it.
public struct LoadTarget: Sendable {
    let request: Request
    let client: HTTPClient
    private let describe: @Sendable (any Error) -> String

    /// - Parameter describe: returns the message for an error that ended a request.
    @preconcurrency
    public init(
        _ request: Request, client: HTTPClient, describe: @escaping @Sendable (any Error) -> String = { "\($0)" }
    ) {
        self.request = request
        self.client = client
        self.describe = describe
    }

    /// The events of `request`, on `loop`. The failure of a credential arrives on the thread of its store.
    func events(_ request: Request, on loop: Loop) -> Observable<RequestEvent> {
        client.events(request).catch { .error($0).subscribe(on: LoopScheduler(loop)) }
    }

    /// Returns the failure for `error`. Its kind is the error's code or type.
    func failure(_ error: any Error) -> LoadFailure {
        LoadFailure(kind: (error as? HTTPClientError)?.code.rawValue ?? "\(type(of: error))", example: describe(error))
    }
}
