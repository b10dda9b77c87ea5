public import Foundation
public import FreshetCore

extension Binder {
    /// Creates a binder that calls `binding` on the main thread, so `target` can belong to the main actor. On the main thread
    /// it does so at once. Source: RxSwift's `Binder`.
    @preconcurrency
    public init<Target: AnyObject>(_ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void)
    where Value: Sendable {
        // With a scheduler of its own it does not wait for the `observe(on:)` before it.
        self.init(target, scheduler: MainScheduler()) { target, value in
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
