/// What is measured. The raw value is what the table says.
public enum Shape: String, CaseIterable, Sendable {
    case subjectToOne = "subject to 1 observer"
    case subjectToTwo = "subject to 2 observers"
    case subjectCreate = "subject: create, subscribe, send 1, dispose"
    case mapFilterPumping = "6 × (map, filter), pumping"
    case ownMapFilterPumping = "the same, operators of one's own, pumping"
    case mapFilterCreating = "6 × (map, filter), creating"
    case fusedPumping = "6 × (map, filter), fused, pumping"
    case fusedInPlacePumping = "the same, its closures in place, pumping"
    case fusedCreating = "6 × (map, filter), fused, creating"
    case flatMapPumping = "5 × flatMap to just, pumping"
    case flatMapCreating = "5 × flatMap to just, creating"
    case flatMapLatestPumping = "5 × flatMapLatest to just, pumping"
    case flatMapLatestCreating = "5 × flatMapLatest to just, creating"
    case combineLatest = "combineLatest of 4, 7 deep"
    case merge = "merge of 4"
    case zip = "zip of 2 subjects, a pair"
    case scanTakeMap = "scan, take, map"
    case rangeFlatMapRange = "range.flatMap(range), an inner element"
    case concatMap = "concatMap to just"
    case shareToEight = "share to 8 observers, a delivery"
    case single = "Single: just, map, flatMap, subscribe"
    case retryCatch = "retry(3) of a failing create, catch"
    case observeOn = "observe(on:) from another thread"
    case values = "values into for await"
}

/// Does a shape's work with `count` elements (or as often as that, for what is created).
public typealias Run = @Sendable (_ count: Int, _ work: Workload) -> Void
