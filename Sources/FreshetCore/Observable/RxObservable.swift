/// Another name for ``Observable``, which no other module declares. Source: RxSwift's `RxObservable`.
public typealias RxObservable<Element> = Observable<Element>

/// The fixed-width integer types, under RxSwift's name. Source: RxSwift's `RxAbstractInteger`.
public typealias RxAbstractInteger = FixedWidthInteger
