extension ObservableType {
    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            return { try resultSelector(slot1.value, slot2.value) }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            return { try resultSelector(slot1.value, slot2.value, slot3.value) }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            let slot4 = $0.latest(of: source4)
            return { try resultSelector(slot1.value, slot2.value, slot3.value, slot4.value) }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element
            ) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            let slot4 = $0.latest(of: source4)
            let slot5 = $0.latest(of: source5)
            return { try resultSelector(slot1.value, slot2.value, slot3.value, slot4.value, slot5.value) }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element
            ) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            let slot4 = $0.latest(of: source4)
            let slot5 = $0.latest(of: source5)
            let slot6 = $0.latest(of: source6)
            return { try resultSelector(slot1.value, slot2.value, slot3.value, slot4.value, slot5.value, slot6.value) }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element
            ) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            let slot4 = $0.latest(of: source4)
            let slot5 = $0.latest(of: source5)
            let slot6 = $0.latest(of: source6)
            let slot7 = $0.latest(of: source7)
            return {
                try resultSelector(
                    slot1.value, slot2.value, slot3.value, slot4.value, slot5.value, slot6.value, slot7.value)
            }
        }
    }

    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element
            ) throws -> Element
    ) -> Observable<Element> {
        Join.stream {
            let slot1 = $0.latest(of: source1)
            let slot2 = $0.latest(of: source2)
            let slot3 = $0.latest(of: source3)
            let slot4 = $0.latest(of: source4)
            let slot5 = $0.latest(of: source5)
            let slot6 = $0.latest(of: source6)
            let slot7 = $0.latest(of: source7)
            let slot8 = $0.latest(of: source8)
            return {
                try resultSelector(
                    slot1.value, slot2.value, slot3.value, slot4.value, slot5.value, slot6.value, slot7.value,
                    slot8.value)
            }
        }
    }
}
