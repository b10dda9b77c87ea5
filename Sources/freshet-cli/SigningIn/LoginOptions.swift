import ArgumentParser
import Foundation
import Freshet

/// The options for how `freshet login` gets tokens from an authorization server.
struct LoginOptions: ParsableArguments {
    @Flag(help: "Show a code to be entered on any device (RFC 8628).")
    var device = false

    @Flag(help: "Log in with a browser on this machine (RFC 8252).")
    var browser = false

    @Flag(help: "Log in with a browser elsewhere, and paste the address of the page that it can't open.")
    var paste = false

    @Option(help: ArgumentHelp("The scopes to ask for, separated by spaces.", valueName: "scopes"))
    var scope: String?

    @Option(help: ArgumentHelp("The resource that the tokens are for (RFC 8707); can be repeated.", valueName: "url"))
    var resource: [String] = []

    @Option(
        help: ArgumentHelp("The authorization server, whose metadata has the endpoints (RFC 8414).", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("A protected resource, whose metadata names the server (RFC 9728).", valueName: "url"))
    var discover: String?

    @Option(
        help: "The host of the callback: 127.0.0.1, ::1 or localhost.",
        completion: .list(["127.0.0.1", "::1", "localhost"]))
    var callbackHost: String?

    @Option(help: "The port of the callback; 0 is any.")
    var callbackPort: Int?

    @Option(help: "The path of the callback.")
    var callbackPath: String?

    @Flag(help: "Only print the address, and open no browser.")
    var noOpen = false

    @Flag(help: "Draw the address as a QR code too, on a terminal with UTF-8.")
    var qr = false

    @Flag(help: "Print each event as a JSON line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "How long the discovery and the person may take together; by default a person has 600 in a browser.",
            valueName: "seconds"))
    var timeout: Seconds?

    @Flag(help: "Ask for the stored scopes and those of --scope together.")
    var stepUp = false

    /// Whether an option asks for a way to log in.
    var isGiven: Bool { device || browser || paste || stepUp || issuer != nil || discover != nil }

    func validate() throws {
        if let scope, scope.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            throw ValidationError("--scope has a line break or another control character; separate scopes by spaces")
        }
        if [device, browser, paste].count(where: { $0 }) > 1 {
            throw ValidationError("--device, --browser and --paste exclude each other")
        }
        if issuer != nil, discover != nil {
            throw ValidationError("--issuer and --discover exclude each other")
        }
        if let callbackHost, LoopbackReceiver.Host(rawValue: callbackHost) == nil {
            throw ValidationError("--callback-host is 127.0.0.1, ::1 or localhost")
        }
        if let callbackPort, !(0...65535).contains(callbackPort) {
            throw ValidationError("--callback-port is a number from 0 to 65535")
        }
        if let callbackPath, !ProfileLogin.isCallbackPath(callbackPath) {
            throw ValidationError("--callback-path is a path that begins with a slash, as it stands in a URL")
        }
    }

    /// The settings of the profile, with those of the options in their place.
    func settings(over login: ProfileLogin) -> ProfileLogin {
        var login = login
        if device {
            login.flow = .device
        } else if browser {
            login.flow = .browser
        } else if paste {
            login.flow = .paste
        }
        login.scope = scope ?? login.scope
        if !resource.isEmpty { login.resources = resource }
        if issuer != nil || discover != nil { (login.issuer, login.discover) = (issuer, discover) }
        if let callbackHost { login.callback.host = LoopbackReceiver.Host(rawValue: callbackHost) ?? .ipv4 }
        login.callback.port = callbackPort ?? login.callback.port
        login.callback.path = callbackPath ?? login.callback.path
        return login
    }
}

extension ProfileLogin {
    /// The flow of the profile, or else the one that suits this machine. Asks the user nothing.
    func chosenFlow(_ server: AuthorizationServer) -> Flow {
        if let flow { return flow }
        let isRemote = ProcessInfo.processInfo.environment.keys.contains { $0.hasPrefix("SSH_") }
        if BrowserOpener.hasDisplay, !isRemote { return .browser }
        return server.deviceAuthorizationEndpoint != nil ? .device : .paste
    }
}
