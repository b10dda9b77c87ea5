import Dispatch
import OpenCombine
import OpenCombineDispatch
import Workload

/// The shapes that OpenCombine has (it has neither `combineLatest` nor `merge`), as a user of it writes them.
public let openCombine: [Shape: Run] = [
    .subjectToOne: { count, work in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.sink(receiveValue: work.consume)
        for element in 0..<count { subject.send(element) }
        subscription.cancel()
    },
    .subjectToTwo: { count, work in
        let subject = PassthroughSubject<Int, Never>()
        let first = subject.sink(receiveValue: work.consume)
        let second = subject.sink(receiveValue: work.consume)
        for element in 0..<count { subject.send(element) }
        first.cancel()
        second.cancel()
    },
    .subjectCreate: { count, work in
        for element in 0..<count {
            let subject = PassthroughSubject<Int, Never>()
            let subscription = subject.sink(receiveValue: work.consume)
            subject.send(element)
            subscription.cancel()
        }
    },
    .mapFilterPumping: { count, work in
        sixMapFilters(numbers(count), work).sink(receiveValue: work.consume).cancel()
    },
    .mapFilterCreating: { count, work in
        for element in 0..<count {
            sixMapFilters(one(element), work).sink(receiveValue: work.consume).cancel()
        }
    },
    .flatMapPumping: { count, work in
        fiveFlatMaps(numbers(count), work).sink(receiveValue: work.consume).cancel()
    },
    .flatMapCreating: { count, work in
        for element in 0..<count {
            fiveFlatMaps(one(element), work).sink(receiveValue: work.consume).cancel()
        }
    },
    .flatMapLatestPumping: { count, work in
        fiveFlatMapLatests(numbers(count), work).sink(receiveValue: work.consume).cancel()
    },
    .flatMapLatestCreating: { count, work in
        for element in 0..<count {
            fiveFlatMapLatests(one(element), work).sink(receiveValue: work.consume).cancel()
        }
    },
    .zip: { count, work in
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let subscription = left.zip(right, work.combineTwo).sink(receiveValue: work.consume)
        for element in 0..<count {
            left.send(element)
            right.send(element)
        }
        subscription.cancel()
    },
    .scanTakeMap: { count, work in
        numbers(count)
            .scan(0, work.combineTwo)
            .prefix(count)
            .map(work.maps[0])
            .sink(receiveValue: work.consume).cancel()
    },
    .rangeFlatMapRange: { count, work in
        (0..<count / 100).publisher
            .flatMap { ($0 * 100..<$0 * 100 + 100).publisher }
            .sink(receiveValue: work.consume).cancel()
    },
    .concatMap: { count, work in
        let map = work.maps[0]
        numbers(count).flatMap(maxPublishers: .max(1)) { Just(map($0)) }
            .sink(receiveValue: work.consume).cancel()
    },
    .shareToEight: { count, work in
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.share()
        let subscriptions = (0..<8).map { _ in shared.sink(receiveValue: work.consume) }
        for element in 0..<count / 8 { subject.send(element) }
        for subscription in subscriptions { subscription.cancel() }
    },
    .single: { count, work in
        let (first, second) = (work.maps[0], work.maps[1])
        for element in 0..<count {
            AnyPublisher(Just(element))
                .map(first)
                .flatMap { Just(second($0)) }
                .sink(receiveValue: work.consume).cancel()
        }
    },
    .retryCatch: { count, work in
        let (attempt, recover) = (work.attempt, work.recover)
        for _ in 0..<count {
            Deferred { Fail<Int, any Error>(error: attempt()) }
                .retry(2)
                .catch { Just(recover($0)) }
                .sink(receiveValue: work.consume).cancel()
        }
    },
    .observeOn: { count, work in
        let subject = PassthroughSubject<Int, Never>()
        let done = DispatchSemaphore(value: 0)
        let subscription = subject.receive(on: queue.ocombine)
            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: work.consume)
        for element in 0..<count { subject.send(element) }
        subject.send(completion: .finished)
        done.wait()
        subscription.cancel()
    },
    .values: { count, work in
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            for await element in (0..<count).publisher.values { work.consume(element) }
            done.signal()
        }
        done.wait()
    },
]

/// From thread to thread as `receive(on:)` goes, to a dispatch queue.
public let openCombineHop: MakeHop = { receive in
    let subject = PassthroughSubject<Int, Never>()
    let subscription = subject.receive(on: queue.ocombine).sink(receiveValue: receive)
    return Hop(send: subject.send, end: subscription.cancel)
}

private let queue = DispatchQueue(label: "benchmark")

/// Erased, for a publisher of a sequence maps and filters its sequence before anybody subscribes.
private func numbers(_ count: Int) -> AnyPublisher<Int, Never> {
    AnyPublisher((0..<count).publisher)
}

private func one(_ element: Int) -> AnyPublisher<Int, Never> {
    AnyPublisher(Just(element))
}

private func sixMapFilters(_ source: AnyPublisher<Int, Never>, _ work: Workload) -> some Publisher<Int, Never> {
    source
        .map(work.maps[0]).filter(work.filters[0])
        .map(work.maps[1]).filter(work.filters[1])
        .map(work.maps[2]).filter(work.filters[2])
        .map(work.maps[3]).filter(work.filters[3])
        .map(work.maps[4]).filter(work.filters[4])
        .map(work.maps[5]).filter(work.filters[5])
}

private func fiveFlatMaps(_ source: AnyPublisher<Int, Never>, _ work: Workload) -> some Publisher<Int, Never> {
    let (m0, m1, m2, m3, m4) = (work.maps[0], work.maps[1], work.maps[2], work.maps[3], work.maps[4])
    return
        source
        .flatMap { Just(m0($0)) }
        .flatMap { Just(m1($0)) }
        .flatMap { Just(m2($0)) }
        .flatMap { Just(m3($0)) }
        .flatMap { Just(m4($0)) }
}

private func fiveFlatMapLatests(_ source: AnyPublisher<Int, Never>, _ work: Workload) -> some Publisher<Int, Never> {
    let (m0, m1, m2, m3, m4) = (work.maps[0], work.maps[1], work.maps[2], work.maps[3], work.maps[4])
    return
        source
        .map { Just(m0($0)) }.switchToLatest()
        .map { Just(m1($0)) }.switchToLatest()
        .map { Just(m2($0)) }.switchToLatest()
        .map { Just(m3($0)) }.switchToLatest()
        .map { Just(m4($0)) }.switchToLatest()
}
