import FreshetHTTP

/// Records that a request began with an `Authorization` of its own, which replaces the credential of these interceptors for the
/// whole request. A redirect to another origin drops that field, and must not bring the credential in its place.
struct OwnCredential: RequestTag {
    private var owners: [AppliedCredential.Owner]

    init(insteadOfThatOf owner: AppliedCredential.Owner, after earlier: OwnCredential?) {
        owners = (earlier?.owners ?? []) + [owner]
    }

    func replaces(thatOf owner: AppliedCredential.Owner) -> Bool { owners.contains { $0 === owner } }
}
