import Freshet
import FreshetTesting
import XCTest

/// Tests a store of state, actions and side effects, and a base class that others inherit from.
final class StoreTests: XCTestCase {
    private let disposeBag = DisposeBag()

    func testActionsChangeTheState() {
        let store = CounterStore()
        var counts: [Int] = []
        store.state.map { $0.count }.distinctUntilChanged().subscribe(onNext: { counts.append($0) })
            .disposed(by: disposeBag)
        [CounterAction.increment, .increment, .reset].forEach(store.dispatch)
        XCTAssertEqual(counts, [0, 1, 2, 0])
        XCTAssertEqual(store.current.count, 0)
    }

    func testAnEffectDispatchesAnAction() {
        let store = CounterStore()
        let scheduler = TestScheduler(initialClock: 0)
        store.addEffect { actions in
            actions
                .filter { $0 == .incrementLater }
                .flatMap { _ in Observable.just(CounterAction.increment).delay(.seconds(10), scheduler: scheduler) }
        }
        store.dispatch(.incrementLater)
        scheduler.advanceTo(5)
        XCTAssertEqual(store.current.count, 0)
        scheduler.advanceTo(20)
        XCTAssertEqual(store.current.count, 1)
    }
}

private enum CounterAction: Equatable {
    case increment, incrementLater, reset
}

private struct CounterState {
    var count = 0
}

private class Store<State, Action> {
    typealias Effect = (Observable<Action>) -> Observable<Action>

    let state: Observable<State>
    var current: State { relay.value }

    private let relay: BehaviorRelay<State>
    private let actions = PublishSubject<Action>()
    private let disposeBag = DisposeBag()

    init(_ initial: State, reduce: @escaping (inout State, Action) -> Void) {
        let relay = BehaviorRelay(value: initial)
        self.relay = relay
        state = relay.asObservable()
        actions.scan(into: initial, accumulator: reduce).bind(to: relay).disposed(by: disposeBag)
    }

    func dispatch(_ action: Action) {
        actions.onNext(action)
    }

    func addEffect(_ effect: @escaping Effect) {
        effect(actions.asObservable())
            .subscribe(onNext: { [weak self] in self?.dispatch($0) })
            .disposed(by: disposeBag)
    }
}

private class CounterStore: Store<CounterState, CounterAction> {
    init() {
        super.init(CounterState()) { state, action in
            switch action {
            case .increment: state.count += 1
            case .incrementLater: break
            case .reset: state.count = 0
            }
        }
    }
}
