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
            require("the addresses", freshet_easy_set_resolve(raw, list.raw))
            state.loadingList = list
        }
        guard route.isSpecial else { return }
        state.set.insert(.route)
        if let proxy = route.proxy {
            require("the proxy", freshet_easy_set_string(raw, CURLOPT_PROXY, proxy.description))
            require("the user of the proxy", freshet_easy_set_string(raw, CURLOPT_PROXYUSERNAME, proxy.user))
            require("the password of the proxy", freshet_easy_set_string(raw, CURLOPT_PROXYPASSWORD, proxy.password))
            if proxy.scheme == "https" { multi.tls.setForProxy(on: self) }
        }
        if let path = route.socketPath {
            require("the Unix domain socket", freshet_easy_set_string(raw, CURLOPT_UNIX_SOCKET_PATH, path))
        }
        if let keys = route.pinnedKeys {
            require("the pinned keys", freshet_easy_set_string(raw, CURLOPT_PINNEDPUBLICKEY, keys))
        }
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
