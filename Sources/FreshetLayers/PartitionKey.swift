import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The owner of a request, by which layers separate accounts.
public enum PartitionKey: Sendable, Hashable {
    /// The request carries no credential.
    case nobody
    /// The request carries the credential of this login, and these values of `Authorization` and `Cookie` that nobody has stated.
    case login(String, fields: [String] = [])
    /// The request carries these values of `Authorization` and `Cookie`, and nobody says whose they are.
    case fields([String])

    var isLogin: Bool { if case .login = self { true } else { false } }

    /// `nil` for a login that can't be told from another one.
    ///
    /// - Parameters:
    ///   - account: the stated account.
    ///   - request: the caller's request, or the prepared one if the account is partial.
    init?(_ account: RequestAccount?, of request: Request) {
        guard let account else {
            self.init(fieldsOf: request)
            return
        }
        guard let id = account.loginID else { return nil }
        self = .login(id, fields: Self.fields(of: request))
    }

    /// The owner of a request of which no account is stated.
    init(fieldsOf request: Request) {
        let fields = Self.fields(of: request)
        self = fields.isEmpty ? .nobody : .fields(fields)
    }

    private static func fields(of request: Request) -> [String] {
        request.headers.filter { [.authorization, .cookie].contains($0.name) }.map { "\($0.name): \($0.value)" }
            .sorted()
    }
}

extension PartitionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Has no value of a field, because these are secrets.
    public var description: String {
        switch self {
        case .nobody: "nobody"
        case .login: "a login"
        case .fields: "a credential of the request's own"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransferReceiver {
    /// Emits the elements that `parts` returns for the owner of `request`; `nil` stands for a login that can't be distinguished
    /// from others.
    ///
    /// - Parameters:
    ///   - final: the request as ``prepare(_:)`` has made it, if that is known.
    ///   - byLoginAlone: whether a stated login is the owner, whatever credentials the request has besides.
    func withOwner(
        of request: Request, preparedAs final: Request? = nil, byLoginAlone: Bool = false,
        _ parts: @escaping @Sendable (PartitionKey?) -> Observable<ResponsePart>
    ) -> Observable<ResponsePart> {
        let final = final.map { .just($0) } ?? request.prepared(by: self)
        let own = { @Sendable (account: RequestAccount?) -> Observable<ResponsePart> in
            if byLoginAlone, let id = account?.loginID { return parts(.login(id)) }
            guard account?.isPartial == true else { return parts(PartitionKey(account, of: request)) }
            return final.asObservable().flatMap { parts(PartitionKey(account, of: $0)) }
        }
        return switch account(of: request) {
        case .ready(let account): own(account)
        case .waiting(let account): account.asObservable().flatMap(own)
        case .unstated: final.asObservable().flatMap { parts(PartitionKey(fieldsOf: $0)) }
        }
    }
}
