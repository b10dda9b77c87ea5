import Foundation
import Freshet

/// The example of the page of this name.
enum Errors {
    static func text(of url: String, by client: HTTPClient) async -> String {
        do {
            return try await client.get(url).validate().text().value
        } catch let error as HTTPClientError where error.code == .status {
            return "the server responded with \(error.response?.status.code ?? 0)"
        } catch let error as HTTPClientError where [.loginRequired, .stepUpRequired].contains(error.code) {
            return "log in, please"
        } catch {
            return error.localizedDescription
        }
    }
}
