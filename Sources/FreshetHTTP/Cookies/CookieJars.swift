public import HTTPTypes

/// The jars that add cookies to a request and keep those of its response. A ``CookieJar`` adds itself when the request begins.
/// Two values are equal if they have the same jars.
///
/// A layer that sends one request for several callers compares this: the response can begin a session, and all of them would
/// share it. A layer that tells users apart compares it too, because the cookies themselves can change with each response.
public struct CookieJars: RequestTag, Hashable {
    /// The names of the cookies that each jar, known by its number, has added to the request.
    private var addedNames: [Int: Set<String>] = [:]

    public static func == (one: CookieJars, other: CookieJars) -> Bool { one.addedNames.keys == other.addedNames.keys }

    public func hash(into hasher: inout Hasher) { hasher.combine(Set(addedNames.keys)) }

    mutating func insert(_ jar: CookieJar, adding names: Set<String> = []) {
        addedNames[jar.number] = names
    }

    /// Removes the cookies of the jars from `Cookie`. Those of the caller and of other interceptors remain.
    public func removeCookies(from fields: inout HTTPFields) {
        let others = fields.cookiePairs.filter { pair in !addedNames.values.contains { $0.contains(pair.cookieName) } }
        fields[.cookie] = others.isEmpty ? nil : others.joined(separator: "; ")
    }
}

extension HTTPFields {
    /// The cookies of all `Cookie` fields, each with its name and its value.
    var cookiePairs: [String] {
        self[values: .cookie].joined(separator: ";").split(separator: ";").map { String($0.drop { $0 == " " }) }
            .filter { !$0.isEmpty }
    }
}

extension String {
    /// The name in a pair of a name and a value, as `cookiePairs` returns it.
    var cookieName: String { String(prefix { $0 != "=" }) }
}
