import Freshet

/// The example of the page of this name.
enum ManyAtOnce {
    static func load(_ count: Int, from api: String, by client: HTTPClient) -> Single<[Response]> {
        Observable.range(start: 0, count: count)
            .flatMap { client.get("\(api)/items/\($0)").validate() }
            .toArray()
    }

    static func watch(_ gate: RefreshGate, print: @escaping @Sendable (String) -> Void) -> any Disposable {
        Disposables.create(
            gate.refreshes.subscribe(onNext: { print("\($0.outcome.rawValue) for \($0.waiters) who waited") }),
            gate.loginRequired.subscribe(onNext: { print("log in: \($0.rawValue)") }))
    }
}
