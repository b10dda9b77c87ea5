/// ``Observable`` under a name that no other module has. Source: RxSwift's `RxObservable`.
public typealias RxObservable<Element> = Observable<Element>

/// What counts. Source: RxSwift's `RxAbstractInteger`.
public typealias RxAbstractInteger = FixedWidthInteger
