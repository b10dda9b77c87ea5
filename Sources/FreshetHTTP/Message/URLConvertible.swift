public import FoundationEssentials

/// A URL in one of the forms that programs have it in: text, Foundation's `URL`, or a ``RequestURL``. Source: Alamofire's
/// `URLConvertible`.
public protocol URLConvertible {
    /// Checks the URL.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if it is not an absolute http or https URL.
    func asRequestURL() throws -> RequestURL
}

extension String: URLConvertible {
    public func asRequestURL() throws -> RequestURL { try RequestURL(self) }
}

extension Substring: URLConvertible {
    public func asRequestURL() throws -> RequestURL { try RequestURL(String(self)) }
}

extension URL: URLConvertible {
    public func asRequestURL() throws -> RequestURL { try RequestURL(absoluteString) }
}

extension RequestURL: URLConvertible {
    public func asRequestURL() -> RequestURL { self }
}
