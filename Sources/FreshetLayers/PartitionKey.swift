import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The owner of a request, by which layers separate accounts.
public enum PartitionKey: Sendable, Hashable {
    /// The request carries no credential.
    case nobody
    /// The request carries the credential of this login.
    case login(String)
    /// The request carries these values of `Authorization` and `Cookie`, and nobody says whose they are.
    case fields([String])

    var isLogin: Bool { if case .login = self { true } else { false } }

    /// `nil` for a login that can't be told from another one.
    init?(_ account: RequestAccount?, of request: Request) {
        guard let account else {
            self.init(fieldsOf: request)
            return
        }
        guard let id = account.loginID else { return nil }
        self = .login(id)
    }

    /// The owner of a request of which no account is stated.
    init(fieldsOf request: Request) {
        let fields = request.headers.filter { [.authorization, .cookie].contains($0.name) }
        self = fields.isEmpty ? .nobody : .fields(fields.map { "\($0.name): \($0.value)" }.sorted())
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
        case .unstated: request.final(by: self).asObservable().flatMap { parts(PartitionKey(fieldsOf: $0)) }
        }
    }
}
