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

        /// Which connections are made again.
        public var reconnection = Reconnection.always
        /// When a stream that runs is left for another under a new credential.
        public var reopening = Reopening.onExpiry
        /// How long to wait before a connection is made again, until the server names another time.
        public var reconnectionTime: Duration = .seconds(3)
        /// The shortest time that a server can name: some say 0, and would be asked again at once, for ever. Of what the
        /// standard has no word, Firefox takes 500 ms, Chromium nothing.
        public var minimumReconnectionTime: Duration = .milliseconds(100)
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
        /// The types of events that say so; they are delivered.
        public var lastTypes: Set<String> = []
        /// Whether an answer that ends without one of those is a lost connection, with code `connectionLost`.
        public var requiresTerminator = false
        /// The types of events that are signs of life and no more; they are not delivered.
        public var ignoredTypes: Set<String> = []
        /// The error that an event is, if it is one; it is not delivered. See ``EventFailure``.
        public var failure: (@Sendable (ServerSentEvent) -> (any Error)?)?
        /// How many connections in a row may fail without having brought anything before their error is the stream's; `nil`
        /// is no limit.
        public var retryLimit: Int?
        /// Whether a connection that failed with this error is worth another: by default what may pass, of the network
        /// of a refresh, or of what the server reports. Everything else is the stream's error.
        public var isTransient: @Sendable (any Error) -> Bool = Settings.isTransient
        /// The jitter, from 0 up to 1.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }

        public init() {}

        /// The default of ``isTransient-swift.property``.
        @Sendable
        public static func isTransient(_ error: any Error) -> Bool {
            switch (error as? HTTPClientError)?.code {
            case .resolve, .connect, .tls, .timeout, .connectionLost, .protocol, .decoding, .overloaded,
                .refreshFailed:
                true
            case .status: ((error as? HTTPClientError)?.underlying as? EventFailure)?.isTransient ?? false
            default: false
            }
        }

        /// For an answer that is produced once, as a language model's: it is asked for again only if it fails before its
        /// first event and for a reason that may pass, three times at most. It is complete with its last event, or if none
        /// is known, with its end; events that report errors are errors, and `ping` is ignored.
        ///
        ///     .answer(terminator: "[DONE]")
        ///     .answer(lastTypes: ["message_stop"])
        public static func response(terminator: String? = nil, lastTypes: Set<String> = []) -> Settings {
            var settings = Settings()
            settings.reconnection = .untilFirstEvent
            settings.reconnectionTime = .milliseconds(500)
            settings.retryLimit = 3
            settings.terminator = terminator
            settings.lastTypes = lastTypes
            settings.requiresTerminator = terminator != nil || !lastTypes.isEmpty
            settings.ignoredTypes = ["ping"]
            settings.failure = EventFailure.common
            return settings
        }
    }
}
