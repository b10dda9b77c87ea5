import Foundation
import Freshet

/// The examples of the page of this name.
enum Performance {
    struct Catalogue: Decodable, Equatable, Sendable {
        var items: [String]
    }

    static func duration(of url: String, sending requests: Int, client: HTTPClient) async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        let count = try await Observable.range(start: 0, count: requests)
            .map { _ in client.get(url).validate().asObservable() }
            .merge(maxConcurrent: 64)
            .reduce(0) { count, _ in count + 1 }
            .asSingle().value
        print("\(count) requests in \(clock.now - start)")
        return clock.now - start
    }

    static func sizes(of urls: [String], client: HTTPClient) async throws -> [Int] {
        // Everything up to the array happens on the loop.
        let sizes = try await Observable.from(urls)
            .map { client.get($0).validate().asObservable() }
            .merge(maxConcurrent: 64)
            .map(\.body.count)
            .toArray().value
        return sizes
    }

    static func catalogue(at url: String, client: HTTPClient) -> Single<Catalogue> {
        // A megabyte of JSON takes its time; other requests need not wait for it.
        client.get(url).validate()
            .observe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
            .decode(Catalogue.self)
    }

    static func lines(of request: Request, client: HTTPClient) -> Single<Int> {
        // Only one piece of the response is in memory, whatever its length.
        client.lines(request).filter { $0.contains("error") }.reduce(0) { count, _ in count + 1 }.asSingle()
    }
}
