public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// OAuth 2 over a token endpoint: a refresh token, or the client's own credentials. Source: RFC 6749 sections 6 and 4.4.
///
/// The answers 400, 401 and 403 of the endpoint, and one with the expired sign, refuse the refresh for good.
public struct OAuthAuthenticator: Authenticator {
    /// How a new access token is asked for.
    public enum Grant: String, Sendable, Hashable {
        case refreshToken = "refresh_token"
        case clientCredentials = "client_credentials"
    }

    public let grant: Grant
    private let tokenURL: RequestURL
    private let clientID: String?
    private let clientSecret: String?
    public let placement: CredentialPlacement
    public let expired: ExpirySigns
    private let exchange: RefreshExchange

    /// - Parameters:
    ///   - client: sends the refresh, without its interceptors and without following redirects. It needs connections of its
    ///     own: if all places of a transport are taken by requests that wait for the refresh, it would wait for them.
    ///   - clientSecret: goes into the body with the client's id, as RFC 6749 section 2.3.1 allows.
    @preconcurrency
    public init(
        tokenURL: RequestURL, grant: Grant = .refreshToken, clientID: String? = nil, clientSecret: String? = nil,
        placement: CredentialPlacement = .authorization(), expired: ExpirySigns = ExpirySigns(), client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) throws {
        self.tokenURL = tokenURL
        self.grant = grant
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.placement = placement
        self.expired = expired
        exchange = RefreshExchange(
            client: client, accessToken: try JSONPointer("/access_token"),
            refreshToken: try JSONPointer("/refresh_token"), expiresIn: try JSONPointer("/expires_in"),
            secondsSince1970: secondsSince1970)
    }

    public var needsLogin: Bool { grant == .refreshToken }

    public func refresh(_ credential: Credential?) -> Single<Credential> {
        var form: [(String, String)] = [("grant_type", grant.rawValue)]
        if grant == .refreshToken {
            guard let token = credential?.refreshToken else {
                return .error(RefreshRefusal("there is no refresh token"))
            }
            form.append(("refresh_token", token))
        }
        if let clientID { form.append(("client_id", clientID)) }
        if let clientSecret { form.append(("client_secret", clientSecret)) }
        let body = form.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
        let request = Request(
            method: .post, url: tokenURL,
            headers: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"],
            body: .text(body))
        return exchange.send(request) { [400, 401, 403].contains($0.status.code) || isExpired($0) }
    }
}

extension String {
    /// As `application/x-www-form-urlencoded` wants it. Source: RFC 6749 appendix B.
    fileprivate var formEncoded: String {
        let hexDigits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"):
                encoded.append(byte)
            case UInt8(ascii: " "):
                encoded.append(UInt8(ascii: "+"))
            default:
                encoded += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
