import Synchronization

/// What becomes of an error that a subscription has no `onError` for. Source: RxSwift's `Hooks`.
public enum Hooks {
    /// Takes the error, and where the subscription was made, if that is recorded.
    public typealias DefaultErrorHandler = @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Says where it is called from, innermost frame first.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private static let isRecording = Atomic<Bool>(false)
    private static let errorHandler = Locked<DefaultErrorHandler>(printInDebugBuilds)
    private static let capture = Locked<CustomCaptureSubscriptionCallstack> { CallStack.symbols }

    /// Whether a subscription without an `onError` notes where it was made, for ``defaultErrorHandler``. That costs much
    /// more than the subscription; it is off at first.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Called for each error that nobody takes, on the thread where it comes; at first it prints in debug builds, and does
    /// nothing in others.
    @preconcurrency public static var defaultErrorHandler: DefaultErrorHandler {
        get { errorHandler.withLock { $0 } }
        set { errorHandler.withLock { $0 = newValue } }
    }

    /// What notes where a subscription is made; at first the frames of the calling thread.
    @preconcurrency public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { capture.withLock { $0 } }
        set { capture.withLock { $0 = newValue } }
    }

    private static let printInDebugBuilds: DefaultErrorHandler = { callStack, error in
        #if DEBUG
            print("Unhandled error: \(error)")
            if !callStack.isEmpty { print("subscribed to at:\n\(callStack.joined(separator: "\n"))") }
        #endif
    }
}

extension Hooks {
    /// Where a subscription is being made, if that is wanted.
    @usableFromInline static var subscriptionCallStack: [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }
}
