import FreshetHTTP
public import HTTPTypes

/// Where in a request a credential goes.
public struct CredentialPlacement: Sendable, Hashable {
    private enum Kind: Hashable {
        case authorization(scheme: String)
        case fields(access: HTTPField.Name, refresh: HTTPField.Name?)
    }

    private let kind: Kind
    /// Fields that go to the credential's origins with it, such as an API key; a request's own of the same name stays.
    public var headers: HTTPFields

    /// `Authorization: SCHEME TOKEN`, if the request has no `Authorization` of its own. Source: RFC 6750 section 2.1.
    public static func authorization(scheme: String = "Bearer", headers: HTTPFields = [:]) -> CredentialPlacement {
        CredentialPlacement(kind: .authorization(scheme: scheme), headers: headers)
    }

    /// The tokens as they are, in header fields of their own, in place of what the request has there.
    public static func fields(
        access: HTTPField.Name, refresh: HTTPField.Name? = nil, headers: HTTPFields = [:]
    ) -> CredentialPlacement {
        CredentialPlacement(kind: .fields(access: access, refresh: refresh), headers: headers)
    }

    func apply(_ credential: Credential, to request: Request) -> Request {
        var request = request
        for field in headers where request.headers[field.name] == nil { request.headers.append(field) }
        switch kind {
        case .authorization(let scheme):
            request.headers[.authorization] = "\(scheme) \(credential.accessToken)"
        case .fields(let access, let refresh):
            request.headers[access] = credential.accessToken
            if let refresh { request.headers[refresh] = credential.refreshToken }
        }
        return request
    }

    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        switch kind {
        case .authorization(let scheme): request.headers[.authorization] == "\(scheme) \(credential.accessToken)"
        case .fields(let access, _): request.headers[access] == credential.accessToken
        }
    }

    func leavesAlone(_ request: Request) -> Bool {
        switch kind {
        case .authorization: request.headers[.authorization] != nil
        case .fields: false
        }
    }
}
