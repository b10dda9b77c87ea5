import ArgumentParser
import Freshet

/// Whether redirects are followed.
struct RedirectOptions: ParsableArguments {
    @Flag(
        name: [.customShort("L"), .long], inversion: .prefixedNo, exclusivity: .chooseLast,
        help: "Follow redirects, or have the redirect itself as the response.")
    var location = true

    func apply(to configuration: inout FreshetRuntime.Configuration) {
        if !location { configuration.client.redirectLimit = 0 }
    }
}
