import Freshet

/// A line of `run`'s input: a request, and the `id` that is copied to its line of output.
struct RequestLine {
    /// The JSON text of the `id`, so that no digit is lost; `nil` if there is none.
    let id: [UInt8]?
    let request: Result<Request, HTTPClientError>
    private let number: Int

    init(_ number: Int, id: [UInt8]?, _ request: Result<Request, HTTPClientError>) {
        self.number = number
        self.id = id
        self.request = request
    }

    /// The error with the request of this line. The message of an error of code `invalidRequest` also names the line.
    func located(_ error: HTTPClientError) -> HTTPClientError {
        let error = (try? request.get()).map(error.naming) ?? error
        return Self.placed(error, in: number)
    }

    static func placed(_ error: HTTPClientError, in number: Int) -> HTTPClientError {
        var error = error
        if error.code == .invalidRequest { error.message = "line \(number): \(error.message)" }
        return error
    }
}
