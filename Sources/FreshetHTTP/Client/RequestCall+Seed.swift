extension RequestCall {
    /// What each subscription to the events of a request grows from.
    struct Seed: Sendable {
        let request: Request
        let client: HTTPClient
        var accepted = AcceptedStatuses.all
    }
}
