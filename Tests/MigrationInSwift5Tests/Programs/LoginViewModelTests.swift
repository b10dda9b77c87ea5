import Freshet
import FreshetTesting
import XCTest

/// Tests a view model with inputs and outputs, as a class with variables.
final class LoginViewModelTests: XCTestCase {
    private var scheduler: TestScheduler!
    private var service: FakeLoginService!
    private var viewModel: LoginViewModel!
    private var disposeBag: DisposeBag!

    override func setUp() {
        super.setUp()
        scheduler = TestScheduler(initialClock: 0)
        service = FakeLoginService()
        viewModel = LoginViewModel(service: service, scheduler: scheduler)
        disposeBag = DisposeBag()
    }

    func testTheButtonIsEnabledForAValidInput() {
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

    func testASuccessfulLoginSetsTheUser() {
        service.response = .just(User(name: "Ann"))
        var names: [String] = []
        var loading: [Bool] = []
        viewModel.user.compactMap { $0?.name }.subscribe(onNext: { names.append($0) }).disposed(by: disposeBag)
        viewModel.isLoading.subscribe(onNext: { loading.append($0) }).disposed(by: disposeBag)
        viewModel.login.onNext(())
        scheduler.start()
        XCTAssertEqual(names, ["Ann"])
        XCTAssertEqual(loading, [false, true, false])
    }

    func testAFailedLoginShowsAMessageAndALaterOneSucceeds() {
        var messages: [String] = []
        viewModel.message.subscribe(onNext: { messages.append($0) }).disposed(by: disposeBag)
        service.response = .error(LoginError.wrongPassword(attempts: 1))
        viewModel.login.onNext(())
        scheduler.advanceTo(10)
        service.response = .just(User(name: "Ann"))
        viewModel.login.onNext(())
        scheduler.advanceTo(20)
        XCTAssertEqual(messages, ["wrong password (1)"])
        XCTAssertEqual(service.calls, 2)
        XCTAssertEqual(viewModel.user.value?.name, "Ann")
    }
}

private struct User {
    let name: String
}

private enum LoginError: Error {
    case wrongPassword(attempts: Int)
}

private protocol LoginService: AnyObject {
    func login(email: String, password: String) -> Single<User>
}

private class FakeLoginService: LoginService {
    var response: Single<User> = .never()
    var calls = 0

    func login(email: String, password: String) -> Single<User> {
        calls += 1
        return response
    }
}

private class LoginViewModel {
    // Inputs
    let email = BehaviorRelay<String>(value: "")
    let password = BehaviorRelay<String>(value: "")
    let login = PublishSubject<Void>()

    // Outputs
    let user = BehaviorRelay<User?>(value: nil)
    let message = PublishRelay<String>()
    var isLoading: Observable<Bool> { loading.asObservable().distinctUntilChanged() }
    private(set) lazy var isLoginEnabled: Observable<Bool> =
        Observable
        .combineLatest(email, password) { email, password in
            email.contains("@") && password.count >= 6
        }
        .distinctUntilChanged()
        .share(replay: 1)

    private let loading = BehaviorRelay(value: false)
    private let service: LoginService
    private let disposeBag = DisposeBag()

    init(service: LoginService, scheduler: SchedulerType) {
        self.service = service
        let input = Observable.combineLatest(email.asObservable(), password.asObservable())
        login
            .withLatestFrom(input)
            .do(onNext: { [weak self] _ in self?.loading.accept(true) })
            .flatMapLatest { [weak self] email, password -> Observable<Event<User>> in
                guard let self = self else { return .empty() }
                return self.service.login(email: email, password: password)
                    .asObservable()
                    .materialize()
            }
            .observe(on: scheduler)
            .subscribe(onNext: { [weak self] event in
                self?.loading.accept(false)
                switch event {
                case .next(let user):
                    self?.user.accept(user)
                case .error(LoginError.wrongPassword(let attempts)):
                    self?.message.accept("wrong password (\(attempts))")
                case .error(let error):
                    self?.message.accept(error.localizedDescription)
                case .completed:
                    break
                }
            })
            .disposed(by: disposeBag)
    }
}
