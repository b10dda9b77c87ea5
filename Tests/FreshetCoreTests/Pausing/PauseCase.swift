import FreshetCore
import FreshetTesting

/// The effect of a pause of an operator's subscription, and how the test checks it.
enum PauseCase: Sendable {
    typealias Stream = @Sendable (PauseStage) -> any ObservableConvertibleType
    typealias Prime = @Sendable (PauseStage) -> Void

    /// The pause reaches the first `sources` inputs of the stage, which are the sources of the stream. `prime` makes the
    /// operator subscribe to all of them.
    case reaches(Int, prime: Prime = { _ in }, Stream)
    /// The stream is a source itself, and emits nothing while it is paused.
    case halts(Stream)
    /// The operator has nothing to pause, for the given reason.
    case isNothing(String)
    /// The test of the given name checks the operator.
    case isShown(by: String)
}

/// The sources of one stream under test, its virtual time, and its observer.
final class PauseStage: @unchecked Sendable {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    let inputs: [ControlledSource<Int>] = (0..<8).map { _ in ControlledSource() }
    let subscription = SerialDisposable()
    let log = Log<String>()
    private let kept = CompositeDisposable()

    subscript(_ number: Int) -> Observable<Int> { inputs[number].stream }

    /// Subscribes to the stream of the case.
    func observe(_ stream: some ObservableConvertibleType, reaction: @escaping @Sendable () -> Void = {}) {
        subscription.disposable = stream.asObservable().subscribe { [log] event in
            switch event {
            case .next: log.append("next")
            case .error: log.append("error")
            case .completed: log.append("completed")
            }
            reaction()
        }
    }

    /// Disposes of `disposable` at the end of the stage.
    func keep(_ disposable: any Disposable) { kept.insert(disposable) }

    func end() {
        subscription.dispose()
        scheduler.advanceBy(10)
        kept.dispose()
    }
}
