import Freshet

/// Notes that a refused request had no credential, because its origin is not one of the profile's. It notes each origin once.
struct MissingCredentialNote: Sendable {
    private let profile: String
    private let origins: [Origin]
    private var noted: Set<Origin> = []

    init(_ profile: Profile) {
        self.profile = profile.name
        origins = profile.origins
    }

    mutating func report(_ status: Int, from origin: Origin) {
        guard [401, 403].contains(status), !origins.contains(origin), noted.insert(origin).inserted else { return }
        Console.report("note: no credential of the profile \(profile): its origins do not contain \(origin)")
    }
}
