import Synchronization

/// Handlers for errors of subscriptions that have no `onError`. Source: RxSwift's `Hooks`.
public enum Hooks {
    /// Receives the error and, if it is recorded, the call stack at which the subscription was made.
    public typealias DefaultErrorHandler = @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Returns the call stack of its caller, innermost frame first.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private static let isRecording = Atomic<Bool>(false)
    private static let functions = Locked(Functions())

    // A structure, because each read of a bare function from a generic lock wraps the function again.
    private struct Functions {
        var handleError: DefaultErrorHandler = printInDebugBuilds
        var capture: CustomCaptureSubscriptionCallstack = { CallStack.symbols }
    }

    /// Whether a subscription without an `onError` records the call stack at which it is made, for
    /// ``defaultErrorHandler``. Recording costs much more than the subscription. The default is `false`.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Receives each error of a subscription that has no `onError`, on the thread of the error. The default prints the
    /// error in debug builds, and does nothing in other builds.
    @preconcurrency public static var defaultErrorHandler: DefaultErrorHandler {
        get { functions.withLock { $0.handleError } }
        set { functions.update { $0.handleError = newValue } }
    }

    /// Records where a subscription is made. The default returns the frames of the calling thread.
    @preconcurrency public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { functions.withLock { $0.capture } }
        set { functions.update { $0.capture = newValue } }
    }

    private static let printInDebugBuilds: DefaultErrorHandler = { callStack, error in
        #if DEBUG
            print("Unhandled error: \(error)")
            if !callStack.isEmpty { print("subscribed to at:\n\(callStack.joined(separator: "\n"))") }
        #endif
    }
}

extension Hooks {
    /// The call stack of the subscription that is being made, or an empty list if it is not recorded.
    @usableFromInline static var subscriptionCallStack: [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }
}
