import Dispatch
import Workload

/// The shapes written by hand: the workload's closures called in a row, and nothing else, but for what takes a thread
/// or a task.
public let limit: [Shape: Run] = [
    .subjectToOne: handSubject(to: 1),
    .subjectToTwo: handSubject(to: 2),
    .subjectCreate: consuming,
    .mapFilterPumping: mapFilter,
    .mapFilterCreating: mapFilter,
    .fusedPumping: mapFilter,
    .fusedInPlacePumping: mapFilter,
    .fusedCreating: mapFilter,
    .flatMapPumping: fiveMaps,
    .flatMapCreating: fiveMaps,
    .flatMapLatestPumping: fiveMaps,
    .flatMapLatestCreating: fiveMaps,
    .combineLatest: sevenCombinations,
    .merge: consuming,
    .zip: pairs,
    .scanTakeMap: scanMap,
    .rangeFlatMapRange: consuming,
    .concatMap: oneMap,
    .shareToEight: eighths,
    .single: twoMaps,
    .retryCatch: attempts,
    .observeOn: worker,
    .values: asyncStream,
]

@Sendable
private func consuming(_ count: Int, _ work: Workload) {
    let consume = work.consume
    for element in 0..<count { consume(element) }
}

/// A list of observers, each called in turn.
private func handSubject(to observers: Int) -> Run {
    { count, work in
        let observers = Array(repeating: work.consume, count: observers)
        for element in 0..<count {
            for observer in observers { observer(element) }
        }
    }
}

@Sendable
private func eighths(_ count: Int, _ work: Workload) {
    handSubject(to: 8)(count / 8, work)
}

@Sendable
private func mapFilter(_ count: Int, _ work: Workload) {
    let (m0, m1, m2) = (work.maps[0], work.maps[1], work.maps[2])
    let (m3, m4, m5) = (work.maps[3], work.maps[4], work.maps[5])
    let (f0, f1, f2) = (work.filters[0], work.filters[1], work.filters[2])
    let (f3, f4, f5) = (work.filters[3], work.filters[4], work.filters[5])
    let consume = work.consume
    for element in 0..<count {
        let a = m0(element)
        guard f0(a) else { continue }
        let b = m1(a)
        guard f1(b) else { continue }
        let c = m2(b)
        guard f2(c) else { continue }
        let d = m3(c)
        guard f3(d) else { continue }
        let e = m4(d)
        guard f4(e) else { continue }
        let f = m5(e)
        guard f5(f) else { continue }
        consume(f)
    }
}

@Sendable
private func oneMap(_ count: Int, _ work: Workload) {
    let (map, consume) = (work.maps[0], work.consume)
    for element in 0..<count { consume(map(element)) }
}

@Sendable
private func twoMaps(_ count: Int, _ work: Workload) {
    let (m0, m1, consume) = (work.maps[0], work.maps[1], work.consume)
    for element in 0..<count { consume(m1(m0(element))) }
}

@Sendable
private func fiveMaps(_ count: Int, _ work: Workload) {
    let (m0, m1, m2, m3, m4) = (work.maps[0], work.maps[1], work.maps[2], work.maps[3], work.maps[4])
    let consume = work.consume
    for element in 0..<count { consume(m4(m3(m2(m1(m0(element)))))) }
}

@Sendable
private func sevenCombinations(_ count: Int, _ work: Workload) {
    let (combine, consume) = (work.combineFour, work.consume)
    for element in 0..<count {
        let a = combine(1, 1, 1, element)
        let b = combine(1, 1, 1, a)
        let c = combine(1, 1, 1, b)
        let d = combine(1, 1, 1, c)
        let e = combine(1, 1, 1, d)
        let f = combine(1, 1, 1, e)
        consume(combine(1, 1, 1, f))
    }
}

@Sendable
private func pairs(_ count: Int, _ work: Workload) {
    let (combine, consume) = (work.combineTwo, work.consume)
    for element in 0..<count { consume(combine(element, element)) }
}

@Sendable
private func scanMap(_ count: Int, _ work: Workload) {
    let (accumulate, map, consume) = (work.combineTwo, work.maps[0], work.consume)
    var state = 0
    for element in 0..<count {
        state = accumulate(state, element)
        consume(map(state))
    }
}

@Sendable
private func attempts(_ count: Int, _ work: Workload) {
    let (attempt, recover, consume) = (work.attempt, work.recover, work.consume)
    for _ in 0..<count {
        var error = attempt()
        error = attempt()
        error = attempt()
        consume(recover(error))
    }
}

@Sendable
private func worker(_ count: Int, _ work: Workload) {
    let worker = Worker(work.consume)
    for element in 0..<count { worker.send(element) }
    worker.end()
}

@Sendable
private func asyncStream(_ count: Int, _ work: Workload) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let stream = AsyncStream { continuation in
            for element in 0..<count { continuation.yield(element) }
            continuation.finish()
        }
        for await element in stream { work.consume(element) }
        done.signal()
    }
    done.wait()
}
