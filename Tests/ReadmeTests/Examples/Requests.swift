import Freshet
import HTTPTypes

/// The examples of the page of this name.
enum Requests {
    static func search() throws -> Request {
        var search = try Request(.get, "https://api.example/v1/search", query: ["q": "fresh water", "page": "2"])
        search.url = search.url.appending(query: "tag", values: ["sea", "tide"], as: .brackets)
        search.headers[.accept] = "application/json"
        search.timeout = .seconds(5)
        return search
    }

    static func user(_ name: String) throws -> RequestURL {
        let user = try RequestURL("https://api.example/v1").appending(path: "users", name)
        return user
    }

    static func bodies() throws -> [RequestBody] {
        let order = try RequestBody.json(["item": "tide table"])
        let login = RequestBody.form([(name: "user", value: "ada"), (name: "remember", value: "yes")])
        let note = RequestBody.text("Spring tide on Friday")
        let log = RequestBody.file("/var/log/tide.log", range: 0..<4096)
        return [order, login, note, log]
    }

    static func photo(at path: String) -> RequestBody {
        var form = MultipartForm()
        form.append("title", "Spring tide")
        form.append("photo", file: path, contentType: "image/jpeg")
        let photo = RequestBody.multipart(form)
        return photo
    }

    static func live(on runtime: FreshetRuntime) -> RequestBody {
        let readings = Observable<Int>.interval(.seconds(1), scheduler: runtime.scheduler)
            .map { [UInt8]("\($0)\n".utf8) }
        let live = RequestBody.stream(readings.take(3600), contentType: "text/plain")
        return live
    }

    static func progress(of path: String, to address: RequestURL, by client: HTTPClient) -> Observable<String> {
        let progress = client.events(Request(method: .put, url: address, body: .file(path)))
            .validate()
            .uploadProgress()
            .map { "\($0.sent) of \($0.total ?? 0) bytes" }
        return progress
    }

    static func upload(of path: String, to address: RequestURL) -> Request {
        var upload = Request(method: .put, url: address, body: .file(path))
        upload.transfer = TransferOptions()
        upload.transfer?.expectsContinue = .seconds(1)
        return upload
    }
}
