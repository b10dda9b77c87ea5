public import FreshetAuth
public import FreshetCore
public import FreshetHTTP

/// A login on another device: a person enters a code there, and the program polls for the tokens in the meantime. Source: RFC
/// 8628.
///
/// The program polls one interval after each response. Each `slow_down` adds 5 s to the interval. Errors of the network and of
/// gateways are temporary until the code expires; each doubles the wait, up to one minute or two intervals. A longer `Retry-After`
/// is obeyed. No wait delays the last poll past the expiry. Each subscription is a separate login.
public struct DeviceLogin: Sendable {
    private let endpoint: TokenEndpoint
    private let deviceURL: RequestURL
    private let scope: LoginScope
    private let limit: Duration?
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - endpoint: the token endpoint, with the client.
    ///   - deviceURL: the device authorization endpoint.
    ///   - scope: the scope of the login.
    ///   - limit: the time for the person, if it is shorter than the lifetime of the code.
    ///   - scheduler: the clock of the polling.
    ///   - secondsSince1970: the wall clock.
    @preconcurrency
    public init(
        endpoint: TokenEndpoint, deviceURL: RequestURL, scope: LoginScope = LoginScope(), limit: Duration? = nil,
        scheduler: any SchedulerType, secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.endpoint = endpoint
        self.deviceURL = deviceURL
        self.scope = scope
        self.limit = limit
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    /// Emits the code, and then the credential.
    ///
    /// Fails with an `HTTPClientError` of code `timeout` when the code expires, `accessDenied` when the person refuses,
    /// `protocol` for an invalid response, or `cancelled` when the client is shut down.
    public func events() -> Observable<LoginEvent> {
        .deferred {
            let key = try endpoint.proofOfPossession?.newKey()
            let start = scheduler.now
            let wallStart = secondsSince1970()
            return endpoint.send(scope.fields, to: deviceURL, key: key).asObservable().flatMap { response in
                let grant = try DeviceGrant(
                    response, from: deviceURL, beside: endpoint, at: wallStart, limit: limit)
                let end = start.advanced(by: grant.lifetime)
                // A login can have thousands of polls, so no poll is nested in the one before it.
                let steps = Observable<Step>.just(.poll(grant, after: grant.interval))
                    .expand { step -> Observable<Step> in
                        guard case .poll(let grant, let wait, let failure) = step else { return .empty() }
                        return poll(grant, key: key, until: end, after: wait, failure).asObservable()
                    }
                let granted = steps.compactMap { step -> LoginEvent? in
                    if case .granted(let credential) = step { .credential(credential) } else { nil }
                }
                return Observable<LoginEvent>.just(.device(grant.code)).concat(granted)
            }
        }
    }

    private enum Step: Sendable {
        /// With the failure of the poll before, if it was one of the network or of the endpoint.
        case poll(DeviceGrant, after: Duration, String? = nil)
        case granted(Credential)
    }

    private func poll(
        _ grant: DeviceGrant, key: String?, until end: Instant, after wait: Duration, _ failure: String?
    ) -> Single<Step> {
        let rest = scheduler.now.duration(to: end)
        // A code that expires before the next request cannot be used any more.
        guard grant.interval < rest else {
            return pause(max(.zero, rest))
                .flatMap { _ in
                    .error(
                        HTTPClientError.loginTimeout(
                            "the code was not entered within \(grant.lifetime)"
                                + (failure.map { "; the last poll failed: \($0)" } ?? "")))
                }
        }
        // After errors the wait can be longer than the code lives. The last poll is then one interval before the expiry.
        let wait = wait < rest ? wait : max(grant.interval, rest - grant.interval)
        let fields = [
            (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
            (name: "device_code", value: grant.deviceCode),
        ]
        return pause(wait)
            .flatMap { _ in
                endpoint.send(fields + scope.resources.map { ("resource", $0) }, key: key)
                    .timeout(scheduler.now.duration(to: end), other: .error(Self.silence), scheduler: scheduler)
                    .asResult()
            }
            .flatMap { result in
                switch DevicePoll(result, after: wait, of: grant) {
                case .later(let interval, let wait, let failure):
                    var grant = grant
                    grant.interval = interval
                    // Source: RFC 9110 section 10.2.3, RFC 6585 section 4.
                    let asked = (try? result.get())?.headers.retryDelay(at: secondsSince1970()) ?? .zero
                    return .just(.poll(grant, after: max(wait, asked), failure))
                case .granted(let response):
                    return .just(.granted(try endpoint.credential(in: response, key: key)))
                case .expired:
                    return .error(HTTPClientError.loginTimeout("the code has expired before it was entered"))
                }
            }
    }

    private static let silence = HTTPClientError(
        .timeout, phase: .waiting, message: "the token endpoint has not responded before the code expired")

    /// The time before a poll. It ends with the client, whose clock can stop.
    private func pause(_ time: Duration) -> Single<Int> {
        Observable<Int>.timer(time, scheduler: scheduler)
            .take(until: endpoint.closing.andThen(Observable<Never>.error(HTTPClientError.loginCancelled)))
            .asSingle()
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
    fileprivate func asResult() -> Single<Result<Element, any Error>> {
        map { .success($0) }.catch { .just(.failure($0)) }
    }
}
