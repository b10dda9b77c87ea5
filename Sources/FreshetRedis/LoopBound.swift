#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// A value that the thread of one loop alone touches; others hold it and hand it on. Source: NIO's `NIOLoopBound`.
    // Unchecked: whoever asks for the value is on the loop, which is checked.
    final class LoopBound<Value>: @unchecked Sendable {
        let loop: Loop
        private let bound: Value

        /// - Parameter value: nobody else's, until the loop has it.
        init(_ value: Value, to loop: Loop) {
            self.loop = loop
            bound = value
        }

        /// To be asked for on the loop.
        var value: Value {
            loop.preconditionOnLoop()
            return bound
        }

        /// The result of `work`, which runs on the loop; `ended` if that has ended.
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
