#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    extension LoopBound {
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
