#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// A value that only the thread of one loop reads. Other threads can hold this box and pass it on. Source: NIO's
    /// `NIOLoopBound`.
    // Unchecked: `value` checks that its caller is on the loop.
    final class LoopBound<Value>: @unchecked Sendable {
        let loop: Loop
        private let bound: Value

        /// - Parameter value: a value that no other thread uses from now on.
        init(_ value: Value, to loop: Loop) {
            self.loop = loop
            bound = value
        }

        /// The value. The caller must be on the loop, which is checked.
        var value: Value {
            loop.preconditionOnLoop()
            return bound
        }

        /// Runs `work` on the loop, and emits its result. Fails with `ended` if the loop has ended.
        func single<Result>(
            after ended: StoreError,
            _ work: @escaping @Sendable (Value, @escaping (Swift.Result<Result, any Error>) -> Void) -> Void
        ) -> Single<Result> {
            .create { observer in
                let isAccepted = self.loop.execute { work(self.value) { observer($0) } }
                if !isAccepted { observer(.failure(ended)) }
                return Disposables.create()
            }
        }
    }
#endif
