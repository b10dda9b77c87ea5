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
    ///   - request: the caller's request, or the prepared one if the account is partial or unstated.
    init?(_ account: RequestAccount?, of request: Request) {
        let fields = request.headers.filter { [.authorization, .cookie].contains($0.name) }
            .map { "\($0.name.canonicalName): \($0.value)" }.sorted()
        if let account {
            guard let id = account.loginID else { return nil }
            self = .login(id, fields: fields)
        } else {
            self = fields.isEmpty ? .nobody : .fields(fields)
        }
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

/// The owner of a request, known at once or later. `nil` is a login that can't be told from another one.
enum OwnerResolution: Sendable {
    case ready(PartitionKey?)
    case waiting(Single<PartitionKey?>)

    fileprivate var single: Single<PartitionKey?> {
        switch self {
        case .ready(let owner): .just(owner)
        case .waiting(let owner): owner
        }
    }
}

extension TransferReceiver {
    /// The owner of `request`, which is prepared if its account does not say that alone.
    ///
    /// - Parameters:
    ///   - account: the account that this receiver states.
    ///   - final: the request as ``prepare(_:)`` has made it, if that is known.
    ///   - ignoringRotation: whether the values that a server can change during a login are ignored: all credentials beside a
    ///     stated login, and the cookies of a ``CookieJar``.
    func owner(
        of request: Request, with account: AccountResolution, preparedAs final: Request? = nil,
        ignoringRotation: Bool = false
    ) -> OwnerResolution {
        @Sendable
        func owner(_ account: RequestAccount?, isPartial: Bool) -> OwnerResolution {
            if ignoringRotation, let id = account?.loginID { return .ready(.login(id)) }
            guard isPartial else { return .ready(PartitionKey(account, of: request)) }
            if let final { return .ready(key(account, of: final)) }
            var prepared = request
            return switch prepare(&prepared) {
            case .ready: .ready(key(account, of: prepared))
            case .waiting(let later): .waiting(later.map { key(account, of: $0) })
            }
        }
        @Sendable
        func key(_ account: RequestAccount?, of final: Request) -> PartitionKey? {
            var final = final
            if ignoringRotation, final.tags[CookieJars.self] != nil {
                final.headers[fields: .cookie] = request.headers[fields: .cookie]
            }
            return PartitionKey(account, of: final)
        }
        return switch account {
        case .ready(let account): owner(account, isPartial: account?.isPartial == true)
        case .waiting(let account): .waiting(account.flatMap { owner($0, isPartial: $0?.isPartial == true).single })
        case .unstated: owner(nil, isPartial: true)
        }
    }

    /// Emits the elements that `parts` returns for the owner of `request`.
    func withOwner(
        of request: Request, preparedAs final: Request? = nil, ignoringRotation: Bool = false,
        _ parts: @escaping @Sendable (PartitionKey?) -> Observable<ResponsePart>
    ) -> Observable<ResponsePart> {
        // Interceptors can change what decides whose a request is, such as its URL, before the one that adds the credential.
        let account = account(of: final ?? request)
        return switch owner(of: request, with: account, preparedAs: final, ignoringRotation: ignoringRotation) {
        case .ready(let owner): parts(owner)
        case .waiting(let owner): owner.asObservable().flatMap(parts)
        }
    }
}
