import FreshetHTTP

extension EventSource {
    /// When an event stream is opened again, and what bounds it.
    public struct Settings: Sendable {
        /// Which connections are made again.
        public enum Reconnection: Sendable, Hashable {
            case never
            /// Those that fail before the first event, and no more: for answers that are produced once, as a language
            /// model's. The end of the answer completes the stream, also without an event.
            case untilFirstEvent
            /// All but a first one that can't be made.
            case onceOpen
            /// All, as the standard says.
            case always
        }

        /// When a stream that runs is left and opened again although nobody has ended it; not one whose events have no ID,
        /// for then some could be lost.
        public enum Reopening: Sendable, Hashable {
            case never
            /// When the credential under which it was opened has ended by the clock.
            case onExpiry
            /// The same, and when the credential was replaced before its time.
            case onReplacement
        }

        public var reconnection = Reconnection.always
        public var reopening = Reopening.onExpiry
        /// How long to wait before a connection is made again, until the server names another time.
        public var reconnectionTime: Duration = .seconds(3)
        /// The longest random wait on top of that after a connection that brought something, if the reconnection time is
        /// not less; it doubles with each that did not.
        public var backoff: Duration = .seconds(1)
        /// The longest random wait that doubling comes to.
        public var maximumBackoff: Duration = .seconds(30)
        /// The longest silence on an open connection before it is taken for lost. Comments break it, and time that the
        /// receiver has the stream paused does not count. `nil` is no limit.
        public var idleTimeout: Duration?
        /// The largest line, and the largest data of an event, in bytes; more is the error `tooLarge`.
        public var maximumEventSize = 64 * 1024 * 1024
        /// The data of an event that says that the stream is complete, such as `[DONE]`; it is not delivered.
        public var terminator: String?
        /// Whether a connection that failed with this error is worth another: by default what may pass, of the network
        /// or of a refresh. Everything else is the stream's error.
        public var isTransient: @Sendable (any Error) -> Bool = Settings.isTransient
        /// The jitter, from 0 up to 1.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }

        public init() {}

        /// The default of ``isTransient-swift.property``.
        @Sendable
        public static func isTransient(_ error: any Error) -> Bool {
            switch (error as? HTTPClientError)?.code {
            case .resolve, .connect, .tls, .timeout, .connectionLost, .protocol, .overloaded, .refreshFailed: true
            default: false
            }
        }
    }
}
