/// Compares elements with `==`, and errors by their `String(reflecting:)`, as ``Event`` does.
extension MaybeEvent: Equatable where Element: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.event == right.event
    }
}

extension CompletableEvent: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.event == right.event
    }
}

extension InfallibleEvent: Equatable where Element: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.event == right.event
    }
}

extension MaybeEvent {
    /// The equivalent event of a stream with at most one element.
    fileprivate var event: Event<Element> {
        switch self {
        case .success(let element): .next(element)
        case .error(let error): .error(error)
        case .completed: .completed
        }
    }
}

extension CompletableEvent {
    fileprivate var event: Event<Never> {
        switch self {
        case .error(let error): .error(error)
        case .completed: .completed
        }
    }
}
