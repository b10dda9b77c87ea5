public import FreshetAuth
public import FreshetHTTP

/// An event during a login.
public enum LoginEvent: Sendable {
    /// A person has to open an address on any device and enter a code there.
    case device(DeviceCode)
    /// A person has to open an address in a browser. Show `url.absoluteString`: its description masks the query.
    case browser(url: RequestURL, expiresAt: Double)
    /// A callback was not the expected one. The login keeps waiting. The message contains no secret.
    case ignored(String)
    /// The login has succeeded. This is the last event.
    case credential(Credential)
}

/// The code and the addresses that a device login shows to a person. Source: RFC 8628 section 3.2.
public struct DeviceCode: Sendable, Hashable {
    /// The code that the person enters, or compares with the one on the page.
    public var userCode: String
    public var verificationURL: RequestURL
    /// The same address with the code in it, for links and QR codes.
    public var completeURL: RequestURL?
    /// When the code expires, in seconds since 1970.
    public var expiresAt: Double
}

/// The scope, the resources and further parameters of a login.
public struct LoginScope: Sendable, Hashable {
    /// The scopes, separated by spaces; `nil` leaves them to the server.
    public var scope: String?
    /// The resources that the tokens are for, each under the name in its metadata. Source: RFC 8707 section 2.
    public var resources: [String] = []
    /// Further parameters of the authorization request or the device authorization request, such as `prompt`, `acr_values` or
    /// `audience`.
    public var parameters: [String: String] = [:]

    public init(scope: String? = nil, resources: [String] = [], parameters: [String: String] = [:]) {
        self.scope = scope
        self.resources = resources
        self.parameters = parameters
    }

    var fields: [(name: String, value: String)] {
        (scope.map { [("scope", $0)] } ?? []) + resources.map { ("resource", $0) }
            + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension HTTPClientError {
    static func loginTimeout(_ message: String) -> HTTPClientError {
        HTTPClientError(.timeout, phase: .waiting, message: message, recoverySuggestion: "begin the login again")
    }

    /// The client was shut down during the login.
    static let loginCancelled = HTTPClientError(
        .cancelled, phase: .waiting, message: "the client is shutting down",
        recoverySuggestion: "log in with another client")

    /// The loop that waits for the callback was shut down.
    static let loginLoopEnded = HTTPClientError(
        .cancelled, phase: .waiting, message: "the loop that waits for the browser has been shut down",
        recoverySuggestion: "log in on a loop that runs")

    static func malformed(_ message: String, from url: RequestURL) -> HTTPClientError {
        HTTPClientError(
            .protocol, phase: .receiving, origin: url.origin.description, message: "\(url.redacted): \(message)",
            recoverySuggestion: "check the address of the endpoint")
    }
}
