import FreshetHTTP

extension EventSource {
    /// When an event stream reconnects, and what limits it.
    public struct Settings: Sendable {
        /// Which connections are made again.
        public enum Reconnection: Sendable, Hashable {
            case never
            /// Connections that fail before the first event, and no others. This is for responses that are produced once, such
            /// as a language model's. The end of the response completes the stream, even without an event. It also ends an
            /// event that has no blank line after it, if the last line of the event is complete.
            case untilFirstEvent
            /// All connections, except a first one that can't be made.
            case onceOpen
            /// All connections, as the standard says.
            case always
        }

        /// When a running stream is closed and opened again although it has not ended. A stream whose events have no ID is not
        /// reopened, because events could be lost.
        public enum Reopening: Sendable, Hashable {
            case never
            /// When the credential under which the stream was opened has expired by the clock.
            case onExpiry
            /// When the credential has expired by the clock, and when it was replaced before that.
            case onReplacement
        }

        /// Which connections are made again.
        public var reconnection = Reconnection.always
        /// When a running stream is closed and opened again under a new credential.
        public var reopening = Reopening.onExpiry
        /// The delay before a connection is made again, until the server sets another delay.
        public var reconnectionTime: Duration = .seconds(3)
        /// The shortest delay that a server can set. Some servers set 0, and would get requests without a pause and without an
        /// end. The standard does not mention a minimum; Firefox uses 500 ms, and Chromium uses none.
        public var minimumReconnectionTime: Duration = .milliseconds(100)
        /// The longest random wait that is added to the delay after a connection that received something. If the reconnection
        /// time is shorter, that is the longest wait. The longest wait doubles with each connection that received nothing.
        public var backoff: Duration = .seconds(1)
        /// The longest random wait that the doubling reaches.
        public var maximumBackoff: Duration = .seconds(30)
        /// The longest silence on an open connection before the connection counts as lost. With
        /// ``Reconnection-swift.enum/untilFirstEvent`` the silence ends the stream with `timeout`, because the server works on
        /// the response. A comment ends a silence, and time in which the receiver has paused the stream does not count. `nil`
        /// is no limit.
        public var idleTimeout: Duration?
        /// The largest line, and the largest data of an event, in bytes. A larger one fails with `tooLarge`.
        public var maximumEventSize = 64 * 1024 * 1024
        /// The data of the event that says that the stream is complete, such as `[DONE]`. That event is not delivered.
        public var terminator: String?
        /// The types of the events that say that the stream is complete. These events are delivered.
        public var lastTypes: Set<String> = []
        /// Whether a response that ends without ``terminator`` or an event of ``lastTypes`` counts as a lost connection, with
        /// code `connectionLost`.
        public var requiresTerminator = false
        /// The types of the events that only show that the server is alive. These events are not delivered.
        public var ignoredTypes: Set<String> = []
        /// Returns the error that an event reports, if it reports one. Such an event is not delivered. See ``EventFailure``.
        public var failure: (@Sendable (ServerSentEvent) -> (any Error)?)?
        /// How many connections in a row may fail without having received anything. After that, the error ends the stream. A
        /// connection that ends without an error does not count. `nil` is no limit.
        public var retryLimit: Int?
        /// Whether the stream reconnects after this error. By default it reconnects after errors of the network, a failed refresh,
        /// an open circuit, a full queue, and errors that an event of the server reports as temporary. A status other than 200
        /// and 204 is an error with code `status`; by default it ends the stream, as the standard says. Any other error ends the
        /// stream too.
        public var isTransient: @Sendable (any Error) -> Bool = Settings.isTransient
        /// The jitter, from 0 up to 1.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }
        /// The wall clock, for a `Retry-After` that is a date in a response without a `Date`.
        public var secondsSince1970: @Sendable () -> Double = WallClock.secondsSince1970

        public init() {}

        /// The default of ``isTransient-swift.property``.
        @Sendable
        public static func isTransient(_ error: any Error) -> Bool {
            switch (error as? HTTPClientError)?.code {
            case .resolve, .connect, .tls, .timeout, .connectionLost, .protocol, .decoding, .overloaded,
                .circuitOpen, .refreshFailed:
                true
            case .status: ((error as? HTTPClientError)?.underlying as? EventFailure)?.isTransient ?? false
            default: false
            }
        }

        /// The settings for a response that is produced once, such as a language model's. The stream requests it again only if
        /// it fails before its first event and for a reason that may pass, three times at most. The response is complete with
        /// its last event, or with its end if no last event is known. Events that report errors are errors, and `ping` is
        /// ignored. A silence of ten minutes ends the stream, as it does in the SDKs of language models.
        ///
        ///     .response(terminator: "[DONE]")
        ///     .response(lastTypes: ["message_stop"])
        public static func response(terminator: String? = nil, lastTypes: Set<String> = []) -> Settings {
            var settings = Settings()
            settings.reconnection = .untilFirstEvent
            settings.reconnectionTime = .milliseconds(500)
            settings.retryLimit = 3
            settings.idleTimeout = .seconds(600)
            settings.terminator = terminator
            settings.lastTypes = lastTypes
            settings.requiresTerminator = terminator != nil || !lastTypes.isEmpty
            settings.ignoredTypes = ["ping"]
            settings.failure = EventFailure.common
            return settings
        }
    }
}
