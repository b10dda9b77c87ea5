import Freshet

/// The examples of the page of this name.
struct RequestsByExample {
    struct Item: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    struct Page: Decodable, Sendable {
        var items: [Item]
        var next: String?
    }

    let client: HTTPClient
    let api: String

    func list() -> Single<[Item]> {
        client.get("\(api)/items", query: ["page": "2", "q": "spring tide"])
            .validate()
            .decode([Item].self)
    }

    func create(_ item: Item) -> Single<Item> {
        client.post("\(api)/items", json: item)
            .validate(statusCodes: [201])
            .decode(Item.self)
    }

    func replace(_ item: Item) -> Single<Response> {
        client.put("\(api)/items/\(item.id)", json: item).validate()
    }

    func remove(_ id: Int) -> Single<Response> {
        client.delete("\(api)/items/\(id)").validate()
    }

    func exists(_ id: Int) -> Single<Bool> {
        client.head("\(api)/items/\(id)").validate(statusCodes: [200, 404]).map { $0.status.code == 200 }
    }

    func all() throws -> Observable<Item> {
        let first = try RequestURL("\(api)/items")
        let load = { @Sendable [client] (url: RequestURL) -> Observable<Page> in
            client.get(url).validate().decode(Page.self).asObservable()
        }
        return load(first)
            .expand { page -> Observable<Page> in
                guard let next = page.next else { return .empty() }
                return load(try first.resolving(next))
            }
            .concatMap { page in Observable.from(page.items) }
    }

    func changes(of id: Int, on scheduler: any SchedulerType) -> Observable<Item> {
        .deferred { [client, api] in
            let tag = BehaviorRelay<String?>(value: nil)
            return Observable<Int>.timer(.zero, period: .seconds(5), scheduler: scheduler)
                .flatMapFirst { _ -> Maybe<Item> in
                    var request = try Request(.get, "\(api)/items/\(id)")
                    request.headers[.ifNoneMatch] = tag.value
                    return client.send(request)
                        .validate(statusCodes: [200, 304])
                        .filter { $0.status != .notModified }
                        .map { response in
                            let item = try response.decoded(Item.self)
                            tag.accept(response.headers[.eTag])
                            return item
                        }
                }
        }
    }

    func inGerman() -> Single<Response> {
        client.get("\(api)/items", headers: ["Accept-Language": "de", "X-Trace": "t1"])
    }

    func search(_ parameters: [String: String], _ fields: [String: String]) throws -> Single<Response> {
        let url = try RequestURL("\(api)/items").appending(queryDictionary: parameters)
        return client.get(url, headers: try HTTPFields(dictionary: fields))
    }

    func subscribe(_ email: String) -> Single<Response> {
        client.post("\(api)/newsletter", body: .form([(name: "email", value: email), (name: "weekly", value: "yes")]))
    }

    func upload(_ path: String) -> Single<Response> {
        var form = MultipartForm()
        form.append("title", "Spring tide")
        form.append("photo", file: path, contentType: "image/jpeg")
        return client.post("\(api)/photos", body: .multipart(form)).validate()
    }

    func download(to path: String, on runtime: FreshetRuntime) throws -> Observable<DownloadProgress> {
        client.download(try Request(.get, "\(api)/archive"), to: path, on: runtime.files)
            .compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    func withUser(_ user: String, _ password: String) throws -> HTTPClient {
        let basic = try FixedCredential.basic(user: user, password: password, origins: [Origin(api)])
        return client.with(interceptors: [basic] + client.interceptors)
    }

    func withToken(_ token: String) throws -> HTTPClient {
        let bearer = try FixedCredential.bearer(token, origins: [Origin(api)])
        return client.with(interceptors: [bearer] + client.interceptors)
    }

    func withKey(_ key: String) throws -> HTTPClient {
        let apiKey = try FixedCredential.apiKey(key, field: "X-Api-Key", origins: [Origin(api)])
        return client.with(interceptors: [apiKey] + client.interceptors)
    }
}
