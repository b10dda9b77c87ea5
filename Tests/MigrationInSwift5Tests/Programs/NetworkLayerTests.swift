import Freshet
import FreshetTesting
import XCTest

/// Tests requests with a completion handler as singles, with decoding, retries and chains.
final class NetworkLayerTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let session = FakeSession()
    private lazy var client = APIClient(session: session, scheduler: scheduler)
    private let disposeBag = DisposeBag()

    func testAResponseIsDecoded() {
        session.responses["/repos/1"] = [.success(#"{"id": 1, "name": "freshet"}"#)]
        var names: [String] = []
        client.repository(1)
            .map { $0.name.uppercased() }
            .subscribe(onSuccess: { names.append($0) }, onFailure: { XCTFail("\($0)") })
            .disposed(by: disposeBag)
        XCTAssertEqual(names, ["FRESHET"])
    }

    func testCallsRunInSequenceAndConcurrently() throws {
        session.responses["/user"] = [.success(#"{"repositories": [1, 2]}"#)]
        session.responses["/repos/1"] = [.success(#"{"id": 1, "name": "one"}"#)]
        session.responses["/repos/2"] = [.success(#"{"id": 2, "name": "two"}"#)]
        let names = client.user()
            .flatMap { [client] user in Single.zip(user.repositories.map { client.repository($0) }) }
            .map { $0.map(\.name) }
        XCTAssertEqual(try names.toBlocking().single(), ["one", "two"])
        let pair = Single.zip(client.repository(1), client.repository(2)) { $0.name + $1.name }
        XCTAssertEqual(try pair.toBlocking().single(), "onetwo")
        let all = Observable.from([1, 2]).concatMap { [client] in client.repository($0) }.map { $0.name }.toArray()
        XCTAssertEqual(try all.toBlocking().single(), ["one", "two"])
    }

    func testServerErrorsAreRetriedWithGrowingDelays() {
        session.responses["/repos/1"] = [
            .failure(.status(500)), .failure(.status(503)), .success(#"{"id": 1, "name": "late"}"#),
        ]
        let names = scheduler.start { self.client.repository(1).map { $0.name } }
        XCTAssertEqual(names.events, [.next(203, "late"), .completed(203)])
        XCTAssertEqual(session.requests, ["/repos/1", "/repos/1", "/repos/1"])
    }

    func testOtherErrorsAreNotRetried() {
        session.responses["/repos/1"] = [.failure(.status(404))]
        var fallback: String?
        client.repository(1)
            .map { $0.name }
            .catch { error in
                guard case APIError.status(404)? = error as? APIError else { throw error }
                return .just("none")
            }
            .subscribe(onSuccess: { fallback = $0 })
            .disposed(by: disposeBag)
        XCTAssertEqual(fallback, "none")
        XCTAssertEqual(session.requests.count, 1)
    }

    func testDisposingCancelsTheTask() {
        session.isSilent = true
        let subscription = client.user().subscribe()
        XCTAssertEqual(session.cancelled, 0)
        subscription.dispose()
        XCTAssertEqual(session.cancelled, 1)
    }
}

private struct Repository: Decodable {
    let id: Int
    let name: String
}

private struct User: Decodable {
    let repositories: [Int]
}

private enum APIError: Error {
    case status(Int)
    case unknown
}

private class FakeSession {
    var responses: [String: [Result<String, APIError>]] = [:]
    var requests: [String] = []
    var isSilent = false
    var cancelled = 0

    func dataTask(_ path: String, completion: @escaping (Data?, Error?) -> Void) -> Task {
        Task(
            resume: { [self] in
                requests.append(path)
                if isSilent { return }
                var rest = responses[path] ?? []
                let response = rest.count > 1 ? rest.removeFirst() : rest.first
                responses[path] = rest
                switch response {
                case .success(let text)?: completion(Data(text.utf8), nil)
                case .failure(let error)?: completion(nil, error)
                case nil: completion(nil, nil)
                }
            }, cancel: { [self] in cancelled += 1 })
    }

    struct Task {
        let resume: () -> Void
        let cancel: () -> Void
    }
}

private class APIClient {
    private let session: FakeSession
    private let scheduler: SchedulerType
    private let decoder = JSONDecoder()

    init(session: FakeSession, scheduler: SchedulerType) {
        self.session = session
        self.scheduler = scheduler
    }

    func user() -> Single<User> { request("/user") }
    func repository(_ id: Int) -> Single<Repository> { request("/repos/\(id)") }

    private func request<Model: Decodable>(_ path: String) -> Single<Model> {
        data(path)
            .map { [decoder] in try decoder.decode(Model.self, from: $0) }
            .retry(when: { [scheduler] (errors: Observable<Error>) in
                errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                    guard attempt < 3, case APIError.status(let status) = error, status >= 500 else {
                        return .error(error)
                    }
                    return Observable<Int>.timer(.seconds(1 << attempt), scheduler: scheduler)
                }
            })
    }

    private func data(_ path: String) -> Single<Data> {
        Single.create { [session] single in
            let task = session.dataTask(path) { data, error in
                if let error = error {
                    single(.failure(error))
                    return
                }
                guard let data = data else {
                    single(.failure(APIError.unknown))
                    return
                }
                single(.success(data))
            }
            task.resume()
            return Disposables.create { task.cancel() }
        }
    }
}
