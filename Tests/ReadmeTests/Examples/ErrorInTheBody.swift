import Freshet

/// The example of the page of this name.
enum ErrorInTheBody {
    struct Reissued: Decodable {
        var accessToken: String
        var refreshToken: String
    }

    struct Failure: Error, Decodable {
        var errorCode: String
    }

    static func gate(store: any CredentialStore, reissueURL: String, runtime: FreshetRuntime) throws -> (
        RefreshGate, any Authenticator
    ) {
        let expired = ExpiryRule(
            statuses: [], body: .init(pointer: try JSONPointer("/errorCode"), equals: ["E05"]))
        let authenticator = ClosureAuthenticator(expired: expired) { credential in
            let body = RequestBody.text(#"{"refreshToken": "\#(credential?.refreshToken ?? "")"}"#)
            return runtime.refreshClient.post(reissueURL, headers: [.contentType: "application/json"], body: body)
                .validate().decode(Reissued.self)
                .map { Credential(accessToken: $0.accessToken, refreshToken: $0.refreshToken) }
        }
        return (runtime.gate(store: store, authenticator: authenticator), authenticator)
    }

    static func items(of api: String, by client: HTTPClient) -> Single<[String]> {
        client.get("\(api)/items").map { response in
            if response.status == .ok { return try response.decoded([String].self) }
            throw try response.decoded(Failure.self)
        }
    }
}
