import FreshetCore

extension SchedulerType {
    /// Returns a stream that runs `work` on this scheduler for each subscription.
    func running<Result>(_ work: @escaping @Sendable () throws -> Result) -> Single<Result> {
        .create { observer in
            self.schedule(()) {
                observer(SingleEvent { try work() })
                return Disposables.create()
            }
        }
    }
}
