/// The work that a thread postpones to the end of its current turn, if it runs in turns as a loop's thread does. Most
/// of that work wakes other threads: a thread that waits for several results of one turn is woken once.
///
/// A thread without a `TurnEnd` postpones nothing. Work that this same thread waits for is not postponed either.
package final class TurnEnd {
    private var waiting = Fifo<any TurnWork>()

    package init() {}

    /// The `TurnEnd` of the calling thread.
    package static var current: TurnEnd? { CurrentThreadScheduler.trampoline.turnEnd }

    /// Sets or removes the `TurnEnd` of the calling thread. The caller is responsible for the work that is postponed on
    /// the previous one.
    package static func setCurrent(_ turnEnd: TurnEnd?) {
        CurrentThreadScheduler.trampoline.turnEnd = turnEnd
    }

    package var isEmpty: Bool { waiting.isEmpty }

    package func add(_ work: any TurnWork) {
        waiting.append(work)
    }

    /// Runs the postponed work in the order of arrival. Work that arrives meanwhile waits for the next end of a turn.
    /// Work that calls this method, because it is about to wait for another thread, runs the work behind it.
    package func run() {
        for _ in 0..<waiting.count { waiting.popFirst()?.turnEnds() }
    }
}

/// A work item that is postponed to the end of a turn.
package protocol TurnWork: AnyObject {
    func turnEnds()
}
