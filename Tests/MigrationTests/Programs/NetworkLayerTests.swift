import Freshet
import FreshetTesting
import XCTest

/// Tests requests with a completion handler as singles, in Swift 6 mode. The client is a value, and a lock guards the fake
/// server.
final class NetworkLayerTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let session = FakeSession()
    private var client: APIClient { APIClient(session: session, scheduler: scheduler) }

    func testCallsRunInSequenceAndConcurrently() throws {
        session.respond("/user", [.success(#"{"repositories": [1, 2]}"#)])
        session.respond("/repos/1", [.success(#"{"id": 1, "name": "one"}"#)])
        session.respond("/repos/2", [.success(#"{"id": 2, "name": "two"}"#)])
        let names = client.user()
            .flatMap { [client] user in Single.zip(user.repositories.map { client.repository($0) }) }
            .map { $0.map(\.name) }
        XCTAssertEqual(try names.toBlocking().single(), ["one", "two"])
        let pair = Single.zip(client.repository(1), client.repository(2)) { $0.name + $1.name }
        XCTAssertEqual(try pair.toBlocking().single(), "onetwo")
    }

    func testServerErrorsAreRetriedWithGrowingDelays() {
        session.respond(
            "/repos/1",
            [.failure(.status(500)), .failure(.status(503)), .success(#"{"id": 1, "name": "late"}"#)])
        let name = client.repository(1).map { $0.name }
        let names = scheduler.start { name }
        XCTAssertEqual(names.events, [.next(203, "late"), .completed(203)])
    }

    func testACallIsAwaited() async throws {
        session.respond("/repos/1", [.failure(.status(404))])
        let name = try await client.repository(1).map { $0.name }.catch { error in
            guard case APIError.status(404) = error else { throw error }
            return .just("none")
        }.value
        XCTAssertEqual(name, "none")
    }
}

private struct Repository: Decodable, Sendable {
    let id: Int
    let name: String
}

private struct User: Decodable, Sendable {
    let repositories: [Int]
}

private enum APIError: Error {
    case status(Int)
    case unknown
}

private final class FakeSession: @unchecked Sendable {
    private let lock = NSLock()
    private var responses: [String: [Result<String, APIError>]] = [:]

    func respond(_ path: String, _ results: [Result<String, APIError>]) {
        lock.withLock { responses[path] = results }
    }

    func load(_ path: String, completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        let response = lock.withLock {
            var rest = responses[path] ?? []
            defer { responses[path] = rest }
            return rest.count > 1 ? rest.removeFirst() : rest.first
        }
        switch response {
        case .success(let text): completion(Data(text.utf8), nil)
        case .failure(let error): completion(nil, error)
        case nil: completion(nil, nil)
        }
    }
}

private struct APIClient: Sendable {
    let session: FakeSession
    let scheduler: SchedulerType

    func user() -> Single<User> { request("/user") }
    func repository(_ id: Int) -> Single<Repository> { request("/repos/\(id)") }

    private func request<Model: Decodable & Sendable>(_ path: String) -> Single<Model> {
        Single<Data>.create { [session] single in
            session.load(path) { data, error in
                if let data { single(.success(data)) } else { single(.failure(error ?? APIError.unknown)) }
            }
            return Disposables.create()
        }
        .map { try JSONDecoder().decode(Model.self, from: $0) }
        .retry(when: { [scheduler] errors in
            errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                guard attempt < 3, case APIError.status(500...) = error else { return .error(error) }
                return .timer(.seconds(1 << attempt), scheduler: scheduler)
            }
        })
    }
}
