import Dispatch
import Freshet
import Workload

/// The shapes as a user of Freshet writes them.
public let freshetShapes: [Shape: Run] = commonShapes.merging(ownShapes) { $1 }

/// What RxSwift has not, or has on other schedulers.
private let ownShapes: [Shape: Run] = [
    .ownMapFilterPumping: { count, work in
        var last = numbers(count)
        for index in 0..<6 { last = last.mapped(work.maps[index]).filtered(work.filters[index]) }
        last.subscribe(onNext: work.consume).dispose()
    },
    .fusedPumping: { count, work in
        sixFused(numbers(count), work).subscribe(onNext: work.consume).dispose()
    },
    .fusedInPlacePumping: { count, work in
        sixFusedInPlace(numbers(count)).subscribe(onNext: work.consume).dispose()
    },
    .fusedCreating: { count, work in
        for element in 0..<count {
            sixFused(one(element), work).subscribe(onNext: work.consume).dispose()
        }
    },
    .observeOn: { count, work in
        let subject = PublishSubject<Int>()
        let done = DispatchSemaphore(value: 0)
        let subscription = subject.observe(on: LoopScheduler(sharedLoop))
            .subscribe(onNext: work.consume, onCompleted: { done.signal() })
        for element in 0..<count { subject.onNext(element) }
        subject.onCompleted()
        done.wait()
        subscription.dispose()
    },
    .values: { count, work in
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            for try await element in Observable.range(start: 0, count: count).values { work.consume(element) }
            done.signal()
        }
        done.wait()
    },
]

/// From thread to thread as `observe(on:)` goes.
public let freshetHop: MakeHop = { receive in
    let subject = PublishSubject<Int>()
    let subscription = subject.observe(on: LoopScheduler(sharedLoop)).subscribe(onNext: receive)
    return Hop(send: subject.onNext, end: subscription.dispose)
}

/// What the loop itself takes for a hop, without a stream.
public let loopHop: MakeHop = { receive in
    Hop(send: { element in sharedLoop.execute { receive(element) } }, end: {})
}

private let sharedLoop = try! Loop()

private func sixFused(_ source: Observable<Int>, _ work: Workload) -> Observable<Int> {
    source.fused
        .map(work.maps[0]).filter(work.filters[0])
        .map(work.maps[1]).filter(work.filters[1])
        .map(work.maps[2]).filter(work.filters[2])
        .map(work.maps[3]).filter(work.filters[3])
        .map(work.maps[4]).filter(work.filters[4])
        .map(work.maps[5]).filter(work.filters[5])
        .asObservable()
}

/// With what the workload's closures do written where it is used, as one writes it, and for the optimiser to see.
private func sixFusedInPlace(_ source: Observable<Int>) -> Observable<Int> {
    source.fused
        .map { $0 &+ 1 }.filter { $0 >= 0 }
        .map { $0 ^ 1 }.filter { $0 > -1 }
        .map { $0 &+ 3 }.filter { $0 != -2 }
        .map { $0 | 1 }.filter { $0 > -3 }
        .map { $0 ^ 2 }.filter { $0 >= -4 }
        .map { $0 &+ 5 }.filter { $0 != -5 }
        .asObservable()
}
