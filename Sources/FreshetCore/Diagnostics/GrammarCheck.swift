#if DEBUG
    import Synchronization

    /// Whether the events of one subscription come one at a time, and end with the stop event, as the contract says; in
    /// debug builds alone.
    ///
    /// What speaks from many threads (`create`, subjects) is made serial where it enters. So this finds an operator that
    /// lets events overlap or goes on after the end, or a scheduler that runs one turn of periodic work inside another.
    @usableFromInline
    package struct GrammarCheck: ~Copyable, Sendable {
        /// The thread that delivers, or zero.
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
            Self.complain("An event came \(place). Events of one subscription never overlap (rule 2).")
        }

        @usableFromInline
        borrowing func end() {
            deliverer.store(0, ordering: .releasing)
        }

        /// An event came to a subscription that is over: that is nobody's fault, unless a stop event ended it.
        @usableFromInline
        borrowing func late() {
            if !hasStopped.load(ordering: .relaxed) { return }
            Self.complain("An event came after the stop event. A stop event is the last (rule 1).")
        }

        private static func complain(_ problem: String) {
            complaint.withLock { $0 }.make(
                """
                A stream broke its contract. \(problem) An operator lets this pass, or a scheduler that it uses runs two \
                pieces of its work at once. Events of foreign origin belong into `create` or a subject, which make them \
                serial.
                """)
        }

        /// What is done about it: the program stops.
        package static let complaint = Locked(GrammarViolation { fatalErrorInDebug($0) })

        /// In a structure of its own: a bare function behind a generic lock is wrapped anew by each look at it.
        package struct GrammarViolation: Sendable {
            let make: @Sendable (String) -> Void

            package init(_ make: @escaping @Sendable (String) -> Void) {
                self.make = make
            }
        }
    }
#endif
