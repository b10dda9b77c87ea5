/// An observer that passes elements to an object on a scheduler, without keeping the object alive.
///
/// The binder drops elements that arrive after the object is deallocated. An error stops the program in a debug build,
/// and is written to standard error in other builds. The binder ignores the completion. Source: RxSwift's `Binder`.
///
///     let title = Binder(page, scheduler: loop) { page, text in page.title = text }
public struct Binder<Value>: ObserverType, Sendable {
    public typealias Element = Value

    private let take: @Sendable (Event<Value>) -> Void

    @preconcurrency
    public init<Target: AnyObject>(
        _ target: Target, scheduler: any ImmediateSchedulerType, binding: @escaping @Sendable (Target, Value) -> Void
    ) where Value: Sendable {
        let reference = WeakReference(target)
        take = { event in
            switch event {
            case .next(let value):
                _ = scheduler.schedule(value) { value in
                    if let target = reference.object { binding(target, value) }
                    return Disposables.create()
                }
            case .error(let error):
                fatalErrorInDebug("A Binder can't take an error: \(error)")
            case .completed:
                break
            }
        }
    }

    public func on(_ event: Event<Value>) {
        take(event)
    }
}
