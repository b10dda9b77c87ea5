import Freshet
import FreshetTesting
import XCTest

/// Tests a view model in Swift 6 mode. Its state is in relays, so that the class is `Sendable`.
final class LoginViewModelTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let disposeBag = DisposeBag()

    func testTheButtonIsEnabledForAValidInput() {
        let viewModel = LoginViewModel(scheduler: scheduler) { _, _ in .never() }
        let isEnabled = scheduler.createObserver(Bool.self)
        viewModel.isLoginEnabled.subscribe(isEnabled).disposed(by: disposeBag)
        scheduler.createColdObservable([.next(10, "ann"), .next(20, "ann@example.com")])
            .bind(to: viewModel.email)
            .disposed(by: disposeBag)
        scheduler.createColdObservable([.next(15, "secret")])
            .bind(to: viewModel.password)
            .disposed(by: disposeBag)
        scheduler.start()
        XCTAssertEqual(isEnabled.events, [.next(0, false), .next(20, true)])
    }

    func testAFailedLoginShowsAMessageAndALaterOneSucceeds() {
        let viewModel = LoginViewModel(scheduler: scheduler) { email, _ in
            email.isEmpty ? .error(LoginError.wrongPassword(attempts: 1)) : .just(User(name: "Ann"))
        }
        let messages = scheduler.createObserver(String.self)
        viewModel.message.subscribe(messages).disposed(by: disposeBag)
        viewModel.login.accept(())
        scheduler.advanceTo(10)
        viewModel.email.accept("ann@example.com")
        viewModel.login.accept(())
        scheduler.advanceTo(20)
        XCTAssertEqual(messages.events.compactMap(\.value.element), ["wrong password (1)"])
        XCTAssertEqual(viewModel.user.value, User(name: "Ann"))
        XCTAssertFalse(viewModel.isLoading.value)
    }
}

private struct User: Equatable, Sendable {
    let name: String
}

private enum LoginError: Error {
    case wrongPassword(attempts: Int)
}

private final class LoginViewModel: Sendable {
    let email = BehaviorRelay(value: "")
    let password = BehaviorRelay(value: "")
    let login = PublishRelay<Void>()

    let user = BehaviorRelay<User?>(value: nil)
    let message = PublishRelay<String>()
    let isLoading = BehaviorRelay(value: false)
    let isLoginEnabled: Observable<Bool>

    private let disposeBag = DisposeBag()

    init(
        scheduler: SchedulerType,
        service: @escaping @Sendable (_ email: String, _ password: String) -> Single<User>
    ) {
        isLoginEnabled =
            Observable
            .combineLatest(email, password) { $0.contains("@") && $1.count >= 6 }
            .distinctUntilChanged()
            .share(replay: 1)
        login
            .withLatestFrom(Observable.combineLatest(email, password))
            .do(onNext: { [weak self] _ in self?.isLoading.accept(true) })
            .flatMapLatest { email, password in
                service(email, password).asObservable().materialize()
            }
            .observe(on: scheduler)
            .subscribe(onNext: { [weak self] event in
                guard let self else { return }
                isLoading.accept(false)
                switch event {
                case .next(let user): self.user.accept(user)
                case .error(LoginError.wrongPassword(let attempts)): message.accept("wrong password (\(attempts))")
                case .error(let error): message.accept("\(error)")
                case .completed: break
                }
            })
            .disposed(by: disposeBag)
    }
}
