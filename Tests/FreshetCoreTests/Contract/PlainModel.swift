/// A hot source in the simplest code: one queue, no threads and no optimizations. It keeps the promises of ``PublishSubject``.
final class PlainSubject {
    private var observers: [(id: Int, hear: (Event) -> Void)] = []
    private var waiting: [() -> Void] = []
    private var isBusy = false
    private var nextId = 0
    private var stop: Event?

    enum Event: Equatable {
        case next(Int)
        case failed
        case completed
    }

    var count: Int { observers.count }

    private func inTurn(_ work: @escaping () -> Void) {
        waiting.append(work)
        if isBusy { return }
        isBusy = true
        while !waiting.isEmpty { waiting.removeFirst()() }
        isBusy = false
    }

    func send(_ event: Event) {
        inTurn { [self] in
            if stop != nil { return }
            let present = observers
            if event == .completed || event == .failed {
                stop = event
                observers = []
            }
            for observer in present where !gone.contains(observer.id) { observer.hear(event) }
        }
    }

    private var gone: Set<Int> = []

    /// Subscribes `hear`, and returns a closure that ends the subscription.
    func subscribe(_ hear: @escaping (Event) -> Void) -> () -> Void {
        nextId += 1
        let id = nextId
        inTurn { [self] in
            if let stop {
                if !gone.contains(id) { hear(stop) }
            } else if !gone.contains(id) {
                observers.append((id, hear))
            }
        }
        return { [self] in
            gone.insert(id)
            inTurn { self.observers.removeAll { $0.id == id } }
        }
    }
}

/// The promises of an operator with a stream for each element, in the simplest code.
final class PlainFlattening {
    typealias Event = PlainSubject.Event

    enum Way: CaseIterable {
        case all, latest, first, one, two
    }

    /// A stream of the test: the elements that it emits at once, and then a subject, or the way it ends.
    struct Stream {
        var prefix: [Int]
        var tail: Int?
        var fails = false
        /// Whether the stream ends within its subscribing call, so that it never counts as running.
        var isAtOnce = false
    }

    private let way: Way
    private let subjects: [PlainSubject]
    private let select: (Int) -> Stream?
    private let hear: (Event) -> Void
    private var waiting: [() -> Void] = []
    private var isBusy = false
    private var isSpeaking = false
    private var isStarting = false
    private var hasLeft = false
    private var isOver = false
    private var hasEnded = false
    private var queue: [Stream] = []
    private var running: [Int: () -> Void] = [:]
    /// The streams that were subscribed to before their turn, which has not come.
    private var early: [Int: () -> Void] = [:]
    /// The streams whose events always wait for their turn.
    private var patient: Set<Int> = []
    /// The elements whose streams have not ended. A stream ends when its end arrives, also if that waits to be handled.
    private var backlog = 0
    private var nextId = 0
    private var endOuter: () -> Void = {}

    init(
        _ way: Way, of outer: PlainSubject, _ subjects: [PlainSubject], _ select: @escaping (Int) -> Stream?,
        _ hear: @escaping (Event) -> Void
    ) {
        self.way = way
        self.subjects = subjects
        self.select = select
        self.hear = hear
        endOuter = outer.subscribe { [unowned self] in take($0) }
    }

    func dispose() {
        if isOver { return }
        isOver = true
        endOuter()
        let ends = running.merging(early) { first, _ in first }.sorted { $0.key < $1.key }
        (running, early) = ([:], [:])
        for end in ends { end.value() }
    }

    private func emit(_ event: Event) {
        if isOver { return }
        if event == .completed || event == .failed {
            let hear = hear
            isOver = true
            hear(event)
            isOver = false
            dispose()
        } else {
            hear(event)
        }
    }

    private func inTurn(_ work: @escaping () -> Void) {
        if isStarting { hasLeft = true }
        waiting.append(work)
        if isBusy { return }
        isBusy = true
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if !isOver { next() }
        }
        isBusy = false
    }

    private func take(_ event: Event) {
        if isOver { return }
        if case .next(let element) = event {
            backlog += 1
            if isBusy, way != .first, way != .latest { return takeEarly(element) }
        }
        inTurn { [self] in
            switch event {
            case .next(let element): accept(element)
            case .failed: emit(.failed)
            case .completed:
                hasEnded = true
                completeIfOver()
            }
        }
    }

    private var limit: Int { way == .one ? 1 : way == .two ? 2 : .max }

    private func accept(_ element: Int) {
        if way == .first, !running.isEmpty { return }
        guard let stream = select(element) else { return emit(.failed) }
        place(stream)
    }

    /// Subscribes to a subject before its turn, because what it emits until then would be lost.
    private func takeEarly(_ element: Int) {
        guard let stream = select(element) else {
            endOuter()
            return inTurn { [self] in emit(.failed) }
        }
        guard let tail = stream.tail, backlog <= limit else { return inTurn { [self] in place(stream) } }
        nextId += 1
        let id = nextId
        var end: () -> Void = {}
        early[id] = { end() }
        patient.insert(id)
        inTurn { [self] in
            endEarlier()
            running[id] = early.removeValue(forKey: id)
        }
        for element in stream.prefix { receive(.next(element), id) }
        end = subjects[tail].subscribe { [unowned self] in receive($0, id) }
    }

    private func endEarlier() {
        guard way == .latest else { return }
        let ends = running
        running = [:]
        for end in ends.values { end() }
    }

    private func place(_ stream: Stream) {
        endEarlier()
        if running.count >= limit || !queue.isEmpty { queue.append(stream) } else { start(stream) }
    }

    private func refill() {
        while !isOver, running.count < limit, !queue.isEmpty { start(queue.removeFirst()) }
    }

    private func start(_ stream: Stream) {
        if stream.isAtOnce {
            for element in stream.prefix { emit(.next(element)) }
            backlog -= 1
            return
        }
        nextId += 1
        let id = nextId
        var end: () -> Void = {}
        running[id] = { end() }
        isStarting = true
        hasLeft = false
        for element in stream.prefix where running[id] != nil && !isOver { receive(.next(element), id) }
        if !isOver, running[id] != nil {
            if let tail = stream.tail {
                end = subjects[tail].subscribe { [unowned self] in receive($0, id) }
            } else {
                receive(stream.fails ? .failed : .completed, id)
            }
        }
        if isOver { end() }
        isStarting = false
    }

    private func receive(_ event: Event, _ id: Int) {
        let isDirect = isStarting && !isSpeaking && !hasLeft && !patient.contains(id)
        if event == .completed, running[id] != nil || early[id] != nil { backlog -= 1 }
        if isDirect, event != .failed {
            guard running[id] != nil, !isOver else { return }
            if case .next = event {
                isSpeaking = true
                emit(event)
                isSpeaking = false
            } else {
                running[id] = nil
            }
            return
        }
        inTurn { [self] in
            if running[id] == nil { return }
            switch event {
            case .next: emit(event)
            case .failed: emit(.failed)
            case .completed:
                running[id] = nil
                refill()
                completeIfOver()
            }
        }
    }

    private func completeIfOver() {
        if hasEnded, running.isEmpty, queue.isEmpty { emit(.completed) }
    }
}
