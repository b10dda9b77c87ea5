import Freshet

/// The example of the page of this name.
enum SignedInFromTheStart {
    static func firstScreen(with gate: RefreshGate, probing api: String, runtime: FreshetRuntime) -> Single<String> {
        gate.session { credential in
            runtime.client.get("\(api)/me", headers: [.authorization: "Bearer \(credential.accessToken)"])
                .validate().map { _ in }
        }
        .map { state in
            switch state {
            case .signedIn, .refreshed: "home"
            case .refreshable: "home, offline"
            case .loginRequired: "login"
            }
        }
    }
}
