import HTTPTypes

extension TokenServer.Tokens {
    var oauthResponse: ScriptedResponse {
        response(
            [("access_token", accessToken), ("token_type", "Bearer"), ("refresh_token", refreshToken)], "expires_in")
    }

    var reissueResponse: ScriptedResponse {
        response([("accessToken", accessToken), ("refreshToken", refreshToken)], "expiresIn")
    }

    private func response(_ members: [(String, String?)], _ lifetimeName: String) -> ScriptedResponse {
        var parts = members.compactMap { name, value in value.map { "\"\(name)\":\"\($0)\"" } }
        if let lifetime { parts.append("\"\(lifetimeName)\":\(max(1, lifetime.components.seconds))") }
        var response = ScriptedResponse.json("{\(parts.joined(separator: ","))}")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
