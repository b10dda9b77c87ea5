/// What is measured. The raw value is what the table says.
public enum Shape: String, CaseIterable, Sendable {
    case subjectToOne = "subject to 1 observer"
    case subjectToTwo = "subject to 2 observers"
    case subjectCreate = "subject: create, subscribe, send 1, dispose"
    case mapFilterPumping = "6 × (map, filter), pumping"
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

extension Shape {
    /// What RxSwift 6.10 took for an element, in nanoseconds, in one recorded run on another machine; see the README.
    public var recordedRxSwift: Double? {
        switch self {
        case .subjectToOne: 447
        case .subjectCreate: 2550
        case .mapFilterPumping: 1930
        case .mapFilterCreating: 18800
        case .flatMapPumping: 6670
        case .flatMapCreating: 21400
        case .flatMapLatestPumping: 8030
        case .combineLatest: 4440
        case .merge: 338
        case .zip: 5550
        case .scanTakeMap: 666
        case .rangeFlatMapRange: 3500
        case .concatMap: 1820
        case .shareToEight: 242
        case .single: 9340
        case .retryCatch: 18300
        case .subjectToTwo, .fusedPumping, .fusedInPlacePumping, .fusedCreating, .flatMapLatestCreating, .observeOn,
            .values:
            nil
        }
    }
}
