import Freshet

/// What the command says on standard error about the credential of a profile.
extension RefreshGate {
    /// Says once which login a response demands.
    func noteStepUp(for profile: Profile) {
        _ = stepUpRequired.take(1).subscribe(onNext: {
            [name = ShellWord.quoted(profile.name), needsLogin = profile.needsLogin] demanded in
            guard needsLogin else {
                return Console.report(
                    "step_up_required: the server demands \(demanded); ask for it with refresh.scope in the profile")
            }
            let scopes = demanded.scopes.joined(separator: " ")
            let unnamed = demanded.demandsScopes ? " --scope SCOPES" : ""
            let option = scopes.isEmpty ? unnamed : " --scope \(ShellWord.quoted(scopes))"
            let command = "freshet login --profile \(name) --step-up\(option)"
            Console.report("step_up_required: the server demands \(demanded); log in with \(command)")
        })
    }

    /// Says, if a login is required, that a store in memory is empty in each new process.
    func noteLossOfMemory() {
        _ = loginRequired.take(1).subscribe(onNext: { _ in
            // Runs after the error is printed, which says that a login is required.
            ShutdownHooks.shared.add {
                Console.report(
                    "note: the profile's store is memory:, which is empty in each new process; "
                        + "write file:PATH there, and log in with freshet login --profile \(CommandArguments.profile)")
            }
        })
    }
}
