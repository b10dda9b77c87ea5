public import Foundation
public import FreshetCore

extension Binder {
    /// Creates a binder that calls `binding` on the main thread, so `target` can belong to the main actor. Source:
    /// RxSwift's `Binder`.
    @preconcurrency
    public init<Target: AnyObject>(_ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void)
    where Value: Sendable {
        self.init(target, scheduler: MainScheduler.instance) { target, value in
            // The compiler does not know that this is already the main thread.
            nonisolated(unsafe) let target = target
            MainActor.assumeIsolated { binding(target, value) }
        }
    }
}

extension Reactive where Base: AnyObject {
    /// A binder that writes a property on the main thread: `player.rx.volume`. Source: RxSwift's `Reactive`.
    @preconcurrency
    public subscript<Property: Sendable>(
        dynamicMember property: any ReferenceWritableKeyPath<Base, Property> & Sendable
    ) -> Binder<Property> {
        Binder(base) { base, value in base[keyPath: property] = value }
    }
}

extension NSObject: ReactiveCompatible {}
