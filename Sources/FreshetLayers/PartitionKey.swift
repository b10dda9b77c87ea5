import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The owner of a request, by which layers separate accounts.
public enum PartitionKey: Sendable, Hashable {
    /// The request carries no credential.
    case nobody
    /// The request carries the credential of this login.
    case login(String)
    /// The request carries this `Authorization`, given by hand.
    case authorization(String)

    var isLogin: Bool { if case .login = self { true } else { false } }

    /// `nil` for a login that can't be told from another one.
    init?(_ account: RequestAccount?, of request: Request) {
        switch account {
        case let account?:
            guard let id = account.loginID else { return nil }
            self = .login(id)
        case nil: self = request.headers[.authorization].map { .authorization($0) } ?? .nobody
        }
    }
}

extension TransferReceiver {
    /// Emits the owner of `request`; `nil` for a login that can't be distinguished from others.
    func owner(of request: Request) -> Observable<PartitionKey?> {
        account(of: request).account.asObservable().map { PartitionKey($0, of: request) }
    }
}
