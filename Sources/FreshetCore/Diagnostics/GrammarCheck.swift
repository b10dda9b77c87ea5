#if DEBUG
    import Synchronization

    /// Checks, in debug builds only, that the events of one subscription arrive one at a time and end with the stop
    /// event, as the contract requires.
    ///
    /// Sources that emit from many threads (`create`, subjects) serialize their events on entry. Therefore the check
    /// finds an operator that lets events overlap or continues after the end, and a scheduler that runs one turn of
    /// periodic work inside another.
    @usableFromInline
    package struct GrammarCheck: ~Copyable, Sendable {
        /// The thread that delivers an event, or zero.
        private let deliverer = Atomic<UInt>(0)
        private let hasStopped = Atomic<Bool>(false)

        @usableFromInline
        init() {}

        @usableFromInline
        borrowing func begin(isStop: Bool = false) {
            if isStop { hasStopped.store(true, ordering: .relaxed) }
            let thread = ThreadIdentity.current
            let (isFree, other) = deliverer.compareExchange(
                expected: 0, desired: thread, ordering: .acquiringAndReleasing)
            if isFree { return }
            let place = other == thread ? "inside another" : "while another thread delivered one"
            Self.reportViolation("An event came \(place). Events of one subscription never overlap (rule 2).")
        }

        @usableFromInline
        borrowing func end() {
            deliverer.store(0, ordering: .releasing)
        }

        /// An event arrived after the subscription ended. That is an error only if a stop event ended the subscription.
        @usableFromInline
        borrowing func late() {
            if !hasStopped.load(ordering: .relaxed) { return }
            Self.reportViolation("An event came after the stop event. A stop event is the last (rule 1).")
        }

        private static func reportViolation(_ problem: String) {
            violationHandler.withLock { $0 }.make(
                """
                A stream broke its contract. \(problem) An operator lets this pass, or a scheduler that it uses runs two \
                pieces of its work at once. Events of foreign origin belong into `create` or a subject, which make them \
                serial.
                """)
        }

        /// The reaction to a violation. The default stops the program.
        package static let violationHandler = Locked(GrammarViolation { fatalErrorInDebug($0) })

        /// A structure, because each read of a bare function from a generic lock wraps the function again.
        package struct GrammarViolation: Sendable {
            let make: @Sendable (String) -> Void

            package init(_ make: @escaping @Sendable (String) -> Void) {
                self.make = make
            }
        }
    }
#endif
