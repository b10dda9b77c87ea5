import FreshetCore
import FreshetHTTP
import HTTPTypes

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
        func resolve(_ account: RequestAccount?, isPartial: Bool) -> OwnerResolution {
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
            if ignoringRotation { final.tags[CookieJars.self]?.removeCookies(from: &final.headers) }
            return PartitionKey(account, of: final)
        }
        return switch account {
        case .ready(let account): resolve(account, isPartial: account?.isPartial == true)
        case .waiting(let account): .waiting(account.flatMap { resolve($0, isPartial: $0?.isPartial == true).single })
        case .unstated: resolve(nil, isPartial: true)
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
