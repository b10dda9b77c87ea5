import HTTPTypes

extension TokenServer.Tokens {
    var oauthAnswer: ScriptedAnswer {
        answer(
            [("access_token", accessToken), ("token_type", "Bearer"), ("refresh_token", refreshToken)], "expires_in")
    }

    var reissueAnswer: ScriptedAnswer {
        answer([("accessToken", accessToken), ("refreshToken", refreshToken)], "expiresIn")
    }

    private func answer(_ members: [(String, String?)], _ lifetimeName: String) -> ScriptedAnswer {
        var parts = members.compactMap { name, value in value.map { "\"\(name)\":\"\($0)\"" } }
        if let lifetime { parts.append("\"\(lifetimeName)\":\(max(1, lifetime.components.seconds))") }
        var answer = ScriptedAnswer.json("{\(parts.joined(separator: ","))}")
        answer.headers[.cacheControl] = "no-store"
        return answer
    }
}
