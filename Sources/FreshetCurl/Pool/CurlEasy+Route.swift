import CFreshetCurl
import FreshetHTTP

extension CurlEasy {
    /// Sets the options that the route needs in addition to the common ones.
    func setRoute(_ route: Route) {
        for destination in route.destinations where !destination.isLoaded(in: multi.slot) {
            state.loading.append((destination, destination.name.generation))
        }
        if !state.loading.isEmpty {
            let list = multi.loadingList(state.loading.map { $0.destination })
            freshet_easy_set_resolve(raw, list.raw)
            state.loadingList = list
        }
        guard route.isSpecial else { return }
        state.set.insert(.route)
        if let proxy = route.proxy {
            freshet_easy_set_string(raw, CURLOPT_PROXY, proxy.description)
            freshet_easy_set_string(raw, CURLOPT_PROXYUSERNAME, proxy.user)
            freshet_easy_set_string(raw, CURLOPT_PROXYPASSWORD, proxy.password)
            if proxy.scheme == "https" { multi.tls.setForProxy(on: raw) }
        }
        if let path = route.socketPath { freshet_easy_set_string(raw, CURLOPT_UNIX_SOCKET_PATH, path) }
        if let keys = route.pinnedKeys { freshet_easy_set_string(raw, CURLOPT_PINNEDPUBLICKEY, keys) }
    }

    /// Records that libcurl has begun the transfer, and so has taken the addresses.
    func loaded() {
        for (destination, generation) in state.loading { destination.loaded(in: multi.slot, generation) }
        state.loading = []
    }

    func clearAddresses() {
        guard state.loadingList != nil else { return }
        state.loading = []
        freshet_easy_set_resolve(raw, nil)
        state.loadingList = nil
    }
}
