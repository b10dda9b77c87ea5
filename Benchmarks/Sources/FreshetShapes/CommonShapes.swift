import Workload

#if canImport(RxSwift)
    import RxSwift
#else
    import Freshet
#endif

/// The shapes as a user of Freshet or of RxSwift writes them: the same lines, compiled against either.
let commonShapes: [Shape: Run] = [
    .subjectToOne: { count, work in
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: work.consume)
        for element in 0..<count { subject.onNext(element) }
        subscription.dispose()
    },
    .subjectToTwo: { count, work in
        let subject = PublishSubject<Int>()
        let first = subject.subscribe(onNext: work.consume)
        let second = subject.subscribe(onNext: work.consume)
        for element in 0..<count { subject.onNext(element) }
        first.dispose()
        second.dispose()
    },
    .subjectCreate: { count, work in
        for element in 0..<count {
            let subject = PublishSubject<Int>()
            let subscription = subject.subscribe(onNext: work.consume)
            subject.onNext(element)
            subscription.dispose()
        }
    },
    .mapFilterPumping: { count, work in
        sixMapFilters(numbers(count), work).subscribe(onNext: work.consume).dispose()
    },
    .mapFilterCreating: { count, work in
        for element in 0..<count {
            sixMapFilters(one(element), work).subscribe(onNext: work.consume).dispose()
        }
    },
    .flatMapPumping: { count, work in
        fiveFlatMaps(numbers(count), work).subscribe(onNext: work.consume).dispose()
    },
    .flatMapCreating: { count, work in
        for element in 0..<count {
            fiveFlatMaps(one(element), work).subscribe(onNext: work.consume).dispose()
        }
    },
    .flatMapLatestPumping: { count, work in
        fiveFlatMapLatests(numbers(count), work).subscribe(onNext: work.consume).dispose()
    },
    .flatMapLatestCreating: { count, work in
        for element in 0..<count {
            fiveFlatMapLatests(one(element), work).subscribe(onNext: work.consume).dispose()
        }
    },
    .combineLatest: { count, work in
        var last = numbers(count)
        for _ in 0..<7 {
            last = Observable.combineLatest(
                Observable.just(1), Observable.just(1), Observable.just(1), last, resultSelector: work.combineFour)
        }
        last.subscribe(onNext: work.consume).dispose()
    },
    .merge: { count, work in
        Observable.merge(
            numbers(0..<count / 4), numbers(count / 4..<count / 2), numbers(count / 2..<3 * (count / 4)),
            numbers(3 * (count / 4)..<count)
        )
        .subscribe(onNext: work.consume).dispose()
    },
    .zip: { count, work in
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let subscription = Observable.zip(left, right, resultSelector: work.combineTwo)
            .subscribe(onNext: work.consume)
        for element in 0..<count {
            left.onNext(element)
            right.onNext(element)
        }
        subscription.dispose()
    },
    .scanTakeMap: { count, work in
        numbers(count)
            .scan(0, accumulator: work.combineTwo)
            .take(count)
            .map(work.maps[0])
            .subscribe(onNext: work.consume).dispose()
    },
    .rangeFlatMapRange: { count, work in
        Observable.range(start: 0, count: count / 100)
            .flatMap { Observable.range(start: $0 * 100, count: 100) }
            .subscribe(onNext: work.consume).dispose()
    },
    .concatMap: { count, work in
        let map = work.maps[0]
        numbers(count).concatMap { Observable.just(map($0)) }
            .subscribe(onNext: work.consume).dispose()
    },
    .shareToEight: { count, work in
        let subject = PublishSubject<Int>()
        let shared = subject.share()
        let subscriptions = (0..<8).map { _ in shared.subscribe(onNext: work.consume) }
        for element in 0..<count / 8 { subject.onNext(element) }
        for subscription in subscriptions { subscription.dispose() }
    },
    .single: { count, work in
        let (first, second) = (work.maps[0], work.maps[1])
        for element in 0..<count {
            Single.just(element)
                .map(first)
                .flatMap { Single.just(second($0)) }
                .subscribe(onSuccess: work.consume).dispose()
        }
    },
    .retryCatch: { count, work in
        let (attempt, recover) = (work.attempt, work.recover)
        for _ in 0..<count {
            Observable<Int>
                .create { observer in
                    observer.onError(attempt())
                    return Disposables.create()
                }
                .retry(3)
                .catch { Observable.just(recover($0)) }
                .subscribe(onNext: work.consume).dispose()
        }
    },
]

func numbers(_ count: Int) -> Observable<Int> {
    numbers(0..<count)
}

private func numbers(_ range: Range<Int>) -> Observable<Int> {
    .create { observer in
        for element in range { observer.onNext(element) }
        observer.onCompleted()
        return Disposables.create()
    }
}

/// A source that says one element and goes on living.
func one(_ element: Int) -> Observable<Int> {
    .create { observer in
        observer.onNext(element)
        return Disposables.create()
    }
}

private func sixMapFilters(_ source: Observable<Int>, _ work: Workload) -> Observable<Int> {
    source
        .map(work.maps[0]).filter(work.filters[0])
        .map(work.maps[1]).filter(work.filters[1])
        .map(work.maps[2]).filter(work.filters[2])
        .map(work.maps[3]).filter(work.filters[3])
        .map(work.maps[4]).filter(work.filters[4])
        .map(work.maps[5]).filter(work.filters[5])
}

private func fiveFlatMaps(_ source: Observable<Int>, _ work: Workload) -> Observable<Int> {
    let (m0, m1, m2, m3, m4) = (work.maps[0], work.maps[1], work.maps[2], work.maps[3], work.maps[4])
    return
        source
        .flatMap { Observable.just(m0($0)) }
        .flatMap { Observable.just(m1($0)) }
        .flatMap { Observable.just(m2($0)) }
        .flatMap { Observable.just(m3($0)) }
        .flatMap { Observable.just(m4($0)) }
}

private func fiveFlatMapLatests(_ source: Observable<Int>, _ work: Workload) -> Observable<Int> {
    let (m0, m1, m2, m3, m4) = (work.maps[0], work.maps[1], work.maps[2], work.maps[3], work.maps[4])
    return
        source
        .flatMapLatest { Observable.just(m0($0)) }
        .flatMapLatest { Observable.just(m1($0)) }
        .flatMapLatest { Observable.just(m2($0)) }
        .flatMapLatest { Observable.just(m3($0)) }
        .flatMapLatest { Observable.just(m4($0)) }
}
