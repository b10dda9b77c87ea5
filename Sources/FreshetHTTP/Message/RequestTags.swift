/// A value that can be attached to a request, one per type.
public protocol RequestTag: Sendable {}

/// The tags of a request, one per type.
public struct RequestTags: Sendable {
    // Objects, because requests are copied often, and copying a value of any type inspects that type.
    @usableFromInline
    package final class Entry<Tag: RequestTag>: Sendable {
        @usableFromInline package let tag: Tag

        @inlinable
        init(_ tag: Tag) {
            self.tag = tag
        }
    }

    // A request has one or two tags, and each attempt writes one: comparing them costs less than hashing.
    @usableFromInline var entries: [any AnyObject & Sendable] = []

    @inlinable package var isEmpty: Bool { entries.isEmpty }

    public init() {}

    /// The object that holds the tag, for reading it without a copy.
    @inlinable
    package func entry<Tag: RequestTag>(_ type: Tag.Type) -> Entry<Tag>? {
        for case let entry as Entry<Tag> in entries { return entry }
        return nil
    }

    @inlinable
    public subscript<Tag: RequestTag>(_ type: Tag.Type) -> Tag? {
        get { entry(type)?.tag }
        set {
            if let index = entries.firstIndex(where: { $0 is Entry<Tag> }) { entries.remove(at: index) }
            if let newValue { entries.append(Entry(newValue)) }
        }
    }
}
