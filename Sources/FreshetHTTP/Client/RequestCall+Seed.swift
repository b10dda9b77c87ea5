extension RequestCall {
    /// What each subscription to the events of a request grows from.
    struct Seed: Sendable {
        let request: Request
        let client: HTTPClient
        var accepted = AcceptedStatuses.all

        func accepting(_ statuses: AcceptedStatuses) -> Seed {
            var seed = self
            seed.accepted = accepted.intersection(statuses)
            return seed
        }
    }
}
