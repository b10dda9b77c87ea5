/// The jars that keep the cookies of the response to a request. A ``CookieJar`` adds itself when it adapts the request.
///
/// A layer that sends one request for several callers compares this: the response can begin a session, and all of them would
/// share it.
public struct CookieJars: RequestTag, Hashable {
    private var jars: Set<ObjectIdentifier> = []

    mutating func insert(_ jar: CookieJar) { jars.insert(ObjectIdentifier(jar)) }
}
