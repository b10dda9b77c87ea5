import Freshet

/// The example of the page of this name.
enum From01To02 {
    struct Language: RequestInterceptor {
        func adapt(_ request: inout Request) -> Adaptation {
            request.headers[.acceptLanguage] = "en"
            return .ready
        }
    }
}
