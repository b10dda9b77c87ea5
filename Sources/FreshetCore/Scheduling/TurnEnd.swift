/// What a thread that works in turns, as a loop's does, puts off to the end of its turn: above all waking others, so that
/// whoever waits for several results of one turn is woken once.
///
/// Nothing is put off on threads that have none, nor by those who are to be waited for on this very thread.
package final class TurnEnd {
    private var waiting: [any TurnWork] = []
    private var spare: [any TurnWork] = []

    package init() {}

    /// The calling thread's.
    package static var current: TurnEnd? { CurrentThreadScheduler.trampoline.turnEnd }

    /// Gives the calling thread one, or takes it away; what has been put off on it is left to the caller.
    package static func setCurrent(_ turnEnd: TurnEnd?) {
        CurrentThreadScheduler.trampoline.turnEnd = turnEnd
    }

    package func add(_ work: any TurnWork) {
        waiting.append(work)
    }

    /// Does what has been put off, in the order in which it was. What comes meanwhile is left to the next end.
    package func run() {
        guard !waiting.isEmpty else { return }
        var batch = spare
        spare = []
        swap(&batch, &waiting)
        for work in batch { work.turnEnds() }
        batch.removeAll(keepingCapacity: true)
        spare = batch
    }
}

/// Something that is put off to the end of a turn.
package protocol TurnWork: AnyObject {
    func turnEnds()
}
