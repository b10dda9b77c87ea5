import FreshetAuth
import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The response of a device authorization endpoint. Source: RFC 8628 section 3.2.
struct DeviceGrant: Sendable {
    let deviceCode: String
    let code: DeviceCode
    let lifetime: Duration
    /// The time between a response and the next request.
    var interval: Duration

    /// Reads the response of the endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint of the same server.
    ///   - start: when the request was sent, in seconds since 1970.
    ///   - limit: the time for the person, if it is shorter than the lifetime of the code.
    /// - Throws: `HTTPClientError` with code `accessDenied` or `status` if the server refuses, or `protocol` if a member is
    ///   missing, or an address is not http or https.
    init(
        _ response: Response, from url: RequestURL, beside endpoint: TokenEndpoint, at start: Double,
        limit: Duration? = nil
    ) throws {
        guard (200..<300).contains(response.status.code), OAuthErrorCode(response) == nil,
            case .object(let members)? = try? JSONValue(response.body)
        else {
            var refusal = endpoint.refusal(in: response)
            refusal.origin = url.origin.description
            refusal.recoverySuggestion =
                refusal.recoverySuggestion ?? "check that the server allows this client to log in by device"
            throw refusal
        }
        func text(_ names: String...) throws -> String {
            for name in names {
                guard case .string(let text)? = members[name] else { continue }
                // The text is shown on a terminal, so it must not contain characters that control it or hide others.
                guard !text.isEmpty, text.unicodeScalars.allSatisfy(\.isVisible) else { break }
                return text
            }
            throw HTTPClientError.malformed("the response of the device endpoint has no usable \(names[0])", from: url)
        }
        func page(_ text: String) throws -> RequestURL {
            guard let page = try? RequestURL(text) else {
                throw HTTPClientError.malformed("the verification_uri is no http or https URL", from: url)
            }
            return page
        }
        deviceCode = try text("device_code")
        // Google uses the second name.
        let verification = try page(try text("verification_uri", "verification_url"))
        let complete: RequestURL? =
            switch members["verification_uri_complete"] {
            case nil, .null?: nil
            default: try page(try text("verification_uri_complete"))
            }
        let seconds = members["expires_in"]?.seconds ?? 0
        guard seconds > 0, seconds.isFinite else {
            throw HTTPClientError.malformed("the response of the device endpoint has no usable expires_in", from: url)
        }
        let lifetime = min(.seconds(min(seconds, 86_400)), limit ?? .seconds(86_400))
        self.lifetime = lifetime
        interval = Self.interval(members["interval"]) ?? .seconds(5)
        code = DeviceCode(
            userCode: try text("user_code"), verificationURL: verification, completeURL: complete,
            expiresAt: start + lifetime / .seconds(1))
    }

    /// Returns an interval, limited to 1 to 300 seconds; `nil` if `value` is none.
    static func interval(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.seconds, seconds.isFinite, seconds >= 0 else { return nil }
        return .seconds(min(max(seconds, 1), 300))
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}

/// The result of one poll. Source: RFC 8628 section 3.5.
enum DevicePoll {
    /// Poll again after `wait`, and afterwards at each `interval`. `failure` says why the endpoint did not reply to the poll.
    case later(interval: Duration, wait: Duration, failure: String? = nil)
    /// The response has the tokens, or an error that ends the login.
    case granted(Response)
    case expired

    /// The longest wait after temporary errors, which double the wait. It is two intervals if that is longer, because errors
    /// must slow the polls down whatever the interval is.
    private static let longestWait = Duration.seconds(60)

    init(_ result: Result<Response, any Error>, after wait: Duration, of grant: DeviceGrant) {
        let interval = grant.interval
        let backoff = { (failure: String) -> DevicePoll in
            .later(interval: interval, wait: min(wait * 2, max(Self.longestWait, interval * 2)), failure: failure)
        }
        let response: Response
        switch result {
        case .success(let received): response = received
        case .failure(let error):
            self = backoff((error as? HTTPClientError)?.message ?? "\(error)")
            return
        }
        let status = "the token endpoint responded with \(response.status.code)"
        switch OAuthErrorCode(response) {
        case .authorizationPending?: self = .later(interval: interval, wait: interval)
        case .slowDown?:
            let longer = max(interval + .seconds(5), Self.interval(in: response) ?? .zero)
            self = .later(interval: longer, wait: longer)
        case .expiredToken?: self = .expired
        case .accessDenied?: self = .granted(response)
        case .temporarilyUnavailable?, .serverError?: self = backoff(status)
        // Many frameworks put a code of their own, or the reason of the status, into the `error` of these.
        case _ where response.status.code == 429:
            self = .later(interval: interval + .seconds(5), wait: interval + .seconds(5))
        case _ where response.status.code >= 500 || response.status.code == 408: self = backoff(status)
        // A page of a gateway, or its redirect to a login for the network, says nothing about the grant.
        case nil where [.successful, .redirection].contains(response.status.kind) && !Self.hasObject(response):
            self = backoff("\(status), without a JSON object")
        default: self = .granted(response)
        }
    }

    private static func hasObject(_ response: Response) -> Bool {
        if case .object? = try? JSONValue(response.body) { true } else { false }
    }

    private static func interval(in response: Response) -> Duration? {
        guard case .object(let members)? = try? JSONValue(response.body) else { return nil }
        return DeviceGrant.interval(members["interval"])
    }
}
