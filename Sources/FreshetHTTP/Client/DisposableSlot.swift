import FreshetCore

/// A place for what is to be disposed of, cheap as long as nothing is there: to look into an optional that can hold anything
/// costs as much as to take it out.
struct DisposableSlot {
    private var content: (any Disposable)?
    private(set) var isFull = false

    /// Puts `next` beside what is there.
    mutating func add(_ next: any Disposable) {
        content = isFull ? content.take().map { Disposables.create($0, next) } : next
        isFull = true
    }

    mutating func empty() {
        guard isFull else { return }
        isFull = false
        content.take()?.dispose()
    }
}
