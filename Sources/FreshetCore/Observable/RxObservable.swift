/// ``Observable`` under a name that no other module has. Source: RxSwift's `RxObservable`.
public typealias RxObservable<Element> = Observable<Element>
