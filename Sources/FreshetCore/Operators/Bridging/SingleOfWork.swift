extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a single whose result `work` returns or throws. Each subscription runs `work` anew, in a task.
    /// Source: RxSwift's `create(detached:priority:work:)`.
    ///
    /// Disposing of the subscription cancels the task.
    ///
    ///     Single.create { try await session.name }
    ///
    /// - Parameters:
    ///   - detached: whether the task inherits nothing from the task that subscribes.
    ///   - priority: the priority of the task.
    ///   - work: returns the element, or throws the error.
    @preconcurrency
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> Single<Element> {
        .create { single in
            let operation: @Sendable () async -> Void = {
                do {
                    single(.success(try await work()))
                } catch {
                    single(.failure(error))
                }
            }
            let task =
                detached
                ? Task.detached(priority: priority, operation: operation)
                : Task(priority: priority, operation: operation)
            return Disposables.create { task.cancel() }
        }
    }
}
