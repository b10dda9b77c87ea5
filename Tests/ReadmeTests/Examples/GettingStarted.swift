import Freshet

/// The examples of the page of this name.
enum GettingStarted {
    struct Item: Decodable, Equatable, Sendable {
        var name: String
    }

    static func item(from api: String) async throws -> Item {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let client = runtime.client.with(interceptors: [RetryPolicy(limit: 3)])

        let item = try await client.get("\(api)/item").validate().decode(Item.self).value
        return item
    }

    static func watch(
        _ api: String, by client: HTTPClient, on scheduler: any SchedulerType, show: (Item) -> Void
    ) async throws {
        let items = Observable<Int>.timer(.zero, period: .seconds(10), scheduler: scheduler)
            .flatMapLatest { _ in client.get("\(api)/item").validate().decode(Item.self).asObservable() }
            .distinctUntilChanged()
        for try await item in items.values { show(item) }
    }
}
