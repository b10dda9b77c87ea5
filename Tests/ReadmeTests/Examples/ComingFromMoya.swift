import Freshet

/// The examples of the page of this name.
struct ComingFromMoya {
    struct Tide: Codable, Equatable, Sendable {
        var name: String
    }

    enum Tides: Endpoint {
        case list(page: Int), add(Tide), photo(id: Int, path: String)

        var method: HTTPRequest.Method { if case .list = self { .get } else { .post } }
        var path: String { if case .photo(let id, _) = self { "tides/\(id)/photo" } else { "tides" } }
        var query: [(name: String, value: String)] {
            if case .list(let page) = self { [("page", "\(page)")] } else { [] }
        }
        var headers: HTTPFields { [.acceptLanguage: "de"] }
        var timeout: Duration? { .seconds(10) }
        var body: RequestBody {
            get throws {
                switch self {
                case .list: return .empty
                case .add(let tide): return try .json(tide)
                case .photo(_, let path):
                    var form = MultipartForm()
                    form.append("photo", file: path, contentType: "image/jpeg")
                    return .multipart(form)
                }
            }
        }
    }

    let client: HTTPClient
    let base: String

    func list(page: Int) -> Single<[Tide]> {
        client.call(Tides.list(page: page), at: base, as: [Tide].self)
    }

    func add(_ tide: Tide) -> Single<Void> {
        client.call(Tides.add(tide), at: base)
    }

    func upload(_ target: Tides, progress: @escaping @Sendable (UploadProgress) -> Void) throws -> Single<Response> {
        client.upload(try target.request(at: base), progress: progress).validate()
    }
}
