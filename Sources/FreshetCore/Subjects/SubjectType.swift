/// An observable that is also an observer. Source: RxSwift's `SubjectType`.
@preconcurrency
public protocol SubjectType<Element>: ObservableType {
    associatedtype Observer: ObserverType

    /// The observer's side of the subject.
    func asObserver() -> Observer
}
