import Freshet
import FreshetTesting
import XCTest

/// Tests a store of state, actions and side effects in Swift 6 mode.
final class StoreTests: XCTestCase {
    private let disposeBag = DisposeBag()
    private let scheduler = TestScheduler(initialClock: 0)

    func testActionsChangeTheState() {
        let store = Store(Counter(), reduce: Counter.reduce)
        let counts = scheduler.createObserver(Int.self)
        store.state.map(\.count).distinctUntilChanged().subscribe(counts).disposed(by: disposeBag)
        for action: Counter.Action in [.increment, .increment, .reset] { store.dispatch(action) }
        XCTAssertEqual(counts.events.compactMap(\.value.element), [0, 1, 2, 0])
    }

    func testAnEffectDispatchesAnAction() {
        let store = Store(Counter(), reduce: Counter.reduce)
        store.addEffect { [scheduler] actions in
            actions
                .filter { $0 == .incrementLater }
                .flatMap { _ in Observable.just(.increment).delay(.seconds(10), scheduler: scheduler) }
        }
        store.dispatch(.incrementLater)
        scheduler.advanceTo(20)
        XCTAssertEqual(store.state.value.count, 1)
    }
}

private struct Counter: Sendable {
    enum Action: Sendable {
        case increment, incrementLater, reset
    }

    var count = 0

    static func reduce(_ counter: inout Counter, by action: Action) {
        switch action {
        case .increment: counter.count += 1
        case .incrementLater: break
        case .reset: counter.count = 0
        }
    }
}

private final class Store<State: Sendable, Action: Sendable>: Sendable {
    let state: BehaviorRelay<State>
    private let actions = PublishSubject<Action>()
    private let disposeBag = DisposeBag()

    init(_ initial: State, reduce: @escaping @Sendable (inout State, Action) -> Void) {
        state = BehaviorRelay(value: initial)
        actions.scan(into: initial, accumulator: reduce).bind(to: state).disposed(by: disposeBag)
    }

    func dispatch(_ action: Action) {
        actions.onNext(action)
    }

    func addEffect(_ effect: (Observable<Action>) -> Observable<Action>) {
        effect(actions)
            .subscribe(onNext: { [weak self] in self?.dispatch($0) })
            .disposed(by: disposeBag)
    }
}
