import Freshet

/// The example of the page about the way of an element.
enum HowAnElementTravels {
    static func fahrenheit(_ show: @escaping @Sendable (Double) -> Void) {
        let celsius = PublishSubject<Double>()
        let subscription = celsius.map { $0 * 1.8 + 32 }.subscribe(onNext: show)
        celsius.onNext(21)
        subscription.dispose()
    }
}
