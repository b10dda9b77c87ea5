import Synchronization

/// What becomes of an error that a subscription has no `onError` for. Source: RxSwift's `Hooks`.
public enum Hooks {
    /// Takes the error, and where the subscription was made, if that is recorded.
    public typealias DefaultErrorHandler = @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Says where it is called from, innermost frame first.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private static let isRecording = Atomic<Bool>(false)
    private static let functions = Locked(Functions())

    // In a structure: bare functions behind a generic lock are wrapped anew by each look at them.
    private struct Functions {
        var handleError: DefaultErrorHandler = printInDebugBuilds
        var capture: CustomCaptureSubscriptionCallstack = { CallStack.symbols }
    }

    /// Whether a subscription without an `onError` notes where it was made, for ``defaultErrorHandler``. That costs much
    /// more than the subscription; it is off at first.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Called for each error that nobody takes, on the thread where it comes; at first it prints in debug builds, and does
    /// nothing in others.
    @preconcurrency public static var defaultErrorHandler: DefaultErrorHandler {
        get { functions.withLock { $0.handleError } }
        set { functions.withLock { $0.handleError = newValue } }
    }

    /// What notes where a subscription is made; at first the frames of the calling thread.
    @preconcurrency public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { functions.withLock { $0.capture } }
        set { functions.withLock { $0.capture = newValue } }
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
