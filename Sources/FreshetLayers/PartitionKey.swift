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
    /// Emits the elements that `parts` returns for the owner of `request`; `nil` stands for a login that can't be distinguished
    /// from others.
    func withOwner(
        of request: Request, _ parts: @escaping @Sendable (PartitionKey?) -> Observable<ResponsePart>
    ) -> Observable<ResponsePart> {
        switch account(of: request) {
        case .ready(let account): parts(PartitionKey(account, of: request))
        case .waiting(let account): account.asObservable().flatMap { parts(PartitionKey($0, of: request)) }
        }
    }
}
