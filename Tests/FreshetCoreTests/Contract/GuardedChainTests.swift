import FreshetCore
import XCTest

/// Tests chains of operators in which each operator relies on the others to end once.
/// A chain with a `create` between each two links, which enforces this, must have the same events as one without, whichever
/// link ends it, and in the middle of whichever event.
final class GuardedChainTests: CoreTestCase {
    private struct Link: Sendable {
        let name: String
        let attach: @Sendable (Observable<Int>) -> Observable<Int>

        init(_ name: String, _ attach: @escaping @Sendable (Observable<Int>) -> Observable<Int>) {
            self.name = name
            self.attach = attach
        }
    }

    /// Some links end before their source, some emit at the end, and some continue with another source.
    private static let links: [Link] = [
        Link("take") { $0.take(1) },
        Link("take two") { $0.take(2) },
        Link("take(while:)") { $0.take(while: { $0 < 2 }) },
        Link("take(while:) inclusive") { $0.take(while: { $0 < 2 }, behavior: .inclusive) },
        Link("take(until:)") { $0.take(until: $0.skip(1)) },
        Link("element(at:)") { $0.element(at: 0) },
        Link("first") { $0.first().map { $0 ?? 7 }.asObservable() },
        Link("single") { $0.single() },
        Link("asMaybe") { $0.asMaybe().asObservable() },
        Link("map") { $0.map { if $0 > 1 { throw Fault.second } else { $0 } } },
        Link("compactMap") { $0.compactMap { _ in throw Fault.second } },
        Link("fused") { $0.fused.map { if $0 > 1 { throw Fault.second } else { $0 } }.asObservable() },
        Link("do(afterNext:)") { $0.do(afterNext: { _ in throw Fault.second }) },
        Link("do(afterCompleted:)") { $0.do(afterCompleted: { throw Fault.second }) },
        Link("do(afterError:)") { $0.do(afterError: { _ in throw Fault.first }) },
        Link("dematerialize") { $0.map { $0 > 1 ? Event.completed : .next($0) }.dematerialize() },
        Link("materialize") { $0.materialize().map { $0.element ?? 8 } },
        Link("toArray") { $0.toArray().map(\.count).asObservable() },
        Link("takeLast") { $0.takeLast(2) },
        Link("ifEmpty") { $0.ifEmpty(default: 5) },
        Link("ifEmpty(switchTo:)") { $0.ifEmpty(switchTo: Observable.of(1, 2)) },
        Link("scan") { $0.scan(0) { if $1 > 1 { throw Fault.second } else { $0 + $1 } } },
        Link("startWith") { $0.startWith(1) },
        Link("concat") { $0.concat(Observable.of(3, 4)) },
        Link("catch") { $0.catch { _ in Observable.of(5, 6) } },
        Link("retry") { $0.retry(2) },
        Link("retry(when:)") { $0.retry(when: { $0.take(1) }) },
        Link("flatMap") { $0.flatMap { Observable.of($0, $0) } },
        Link("concatMap") { $0.concatMap { Observable.just($0) } },
        Link("flatMapLatest") { $0.flatMapLatest { Observable.just($0) } },
        Link("merge") { Observable.merge($0, Observable.just(9)) },
        Link("zip") { Observable.zip($0, $0.skip(1)) { $0 + $1 } },
        Link("combineLatest") { Observable.combineLatest($0, Observable.just(1)) { $0 + $1 } },
        Link("share") { $0.share() },
        Link("groupBy") { $0.groupBy { $0 % 2 }.flatMap { $0 } },
        Link("bufferToggle") { $0.bufferToggle(Observable.just(0)) { _ in Observable<Int>.never() }.map(\.count) },
    ]

    private func events(
        of links: [Link], guarded isGuarded: Bool, from send: (PublishSubject<Int>) -> Void
    ) -> [Event<Int>] {
        let source = PublishSubject<Int>()
        let chain = links.reduce(source.asObservable()) { chain, link in
            let next = link.attach(chain)
            return isGuarded ? .create { next.subscribe($0) } : next
        }
        let recorder = Recorder<Int>()
        let subscription = chain.subscribe(recorder)
        send(source)
        subscription.dispose()
        return recorder.events
    }

    private func expectTheSame(_ links: [Link], _ ways: [@Sendable (PublishSubject<Int>) -> Void]) {
        for (number, way) in ways.enumerated() {
            XCTAssertEqual(
                events(of: links, guarded: false, from: way), events(of: links, guarded: true, from: way),
                "\(links.map(\.name)), \(number)")
        }
    }

    func testRule1AnyChainOfOperatorsFollowsTheGrammar() {
        let ways: [@Sendable (PublishSubject<Int>) -> Void] = [
            { $0.onNext(2) },
            { for number in 1...3 { $0.onNext(number) } },
            { source in
                source.onNext(1)
                source.onCompleted()
            },
            { source in
                source.onNext(3)
                source.onError(Fault.first)
            },
        ]
        let goingOn = Self.links.filter { ["toArray", "concat", "catch", "merge"].contains($0.name) }
        XCTAssertEqual(goingOn.count, 4)
        for first in Self.links {
            for second in Self.links {
                expectTheSame([first, second], ways)
                for third in goingOn { expectTheSame([first, second, third], Array(ways.prefix(2))) }
            }
        }
    }
}
