public import FreshetCore

/// The account that a request belongs to, for layers that store or share responses. It identifies a login and holds no token, so
/// it outlasts the rotation of tokens.
public struct RequestAccount: Sendable, Hashable {
    /// The identifier of the login; `nil` if the login has none, and then nothing may be stored or shared.
    public let loginID: String?
    /// Whether another interceptor, which states no account, may add a credential too. A layer then prepares the request, and
    /// also tells it apart by the `Authorization` and `Cookie` that it has then.
    public private(set) var isPartial = false

    public init(loginID: String?) {
        self.loginID = loginID
    }

    /// The account of a request that carries the credentials of several logins.
    func combined(with other: RequestAccount) -> RequestAccount {
        var both = RequestAccount(loginID: nil)
        if let loginID, let otherID = other.loginID { both = RequestAccount(loginID: "\(loginID) \(otherID)") }
        both.isPartial = isPartial || other.isPartial
        return both
    }

    fileprivate var partial: RequestAccount {
        var partial = self
        partial.isPartial = true
        return partial
    }
}

extension RequestAccount: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Has no identifier, because it can be a name.
    public var description: String { loginID == nil ? "an account without an identifier" : "an account" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["isPartial": isPartial]) }
}

/// The account of a request, known at once or later. `nil` is the account of a request without a credential.
public enum AccountResolution: Sendable {
    case ready(RequestAccount?)
    case waiting(Single<RequestAccount?>)
    /// Nobody says whose the request is. A layer prepares it, and tells it apart by the `Authorization` and `Cookie` that it has
    /// then.
    case unstated

    func combined(with other: AccountResolution) -> AccountResolution {
        switch (self, other) {
        case (.ready(nil), _), (.unstated, .unstated): return other
        case (_, .ready(nil)): return self
        case (.unstated, .ready(let account)), (.ready(let account), .unstated): return .ready(account?.partial)
        // Without the account that is waited for, nothing tells the request apart from those of others.
        case (.unstated, .waiting(let account)), (.waiting(let account), .unstated):
            return .waiting(account.map { ($0 ?? RequestAccount(loginID: nil)).partial })
        case (.ready, .ready), (.ready, .waiting), (.waiting, .ready), (.waiting, .waiting):
            return .waiting(
                Single.zip(account, other.account) { one, other in
                    guard let one, let other else { return one ?? other }
                    return one.combined(with: other)
                })
        }
    }

    private var account: Single<RequestAccount?> {
        switch self {
        case .ready(let account): .just(account)
        case .waiting(let account): account
        case .unstated: .just(nil)
        }
    }
}
