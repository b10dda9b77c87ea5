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
