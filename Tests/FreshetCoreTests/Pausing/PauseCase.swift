import FreshetCore
import FreshetTesting

/// What a pause of an operator's subscription does, and how it is tried.
enum PauseCase: Sendable {
    typealias Stream = @Sendable (PauseStage) -> any ObservableConvertibleType
    typealias Prime = @Sendable (PauseStage) -> Void

    /// It reaches the first `sources` wires of the stage, of which the stream is made. `prime` sends what makes the
    /// operator subscribe to all of them.
    case reaches(Int, prime: Prime = { _ in }, Stream)
    /// The stream is a source itself, and says nothing while it is paused.
    case halts(Stream)
    /// There is nothing to pause, and why.
    case isNothing(String)
    /// It is another matter, which the test of this name shows.
    case isShown(by: String)
}

/// The sources of one stream under test, the time it runs on, and who listens.
final class PauseStage: @unchecked Sendable {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    let wires: [Wire<Int>] = (0..<8).map { _ in Wire() }
    let place = SerialDisposable()
    let log = Log<String>()
    private let kept = CompositeDisposable()

    subscript(_ number: Int) -> Observable<Int> { wires[number].stream }

    /// Subscribes to what the case is about.
    func watch(_ stream: some ObservableConvertibleType, reaction: @escaping @Sendable () -> Void = {}) {
        place.disposable = stream.asObservable().subscribe { [log] event in
            switch event {
            case .next: log.append("next")
            case .error: log.append("error")
            case .completed: log.append("completed")
            }
            reaction()
        }
    }

    /// Ends `disposable` with the stage.
    func keep(_ disposable: any Disposable) { kept.insert(disposable) }

    func end() {
        place.dispose()
        scheduler.advanceBy(10)
        kept.dispose()
    }
}
