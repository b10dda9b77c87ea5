"""An MCP server with its own authorization server, by the MCP SDK.

The SDK answers the metadata (RFC 8414, RFC 9728), the dynamic registration, compares PKCE verifiers, checks the bearer
tokens with their `resource`, and streams and resumes the events. This file has the tables in memory, the tools, and the
403 of the tool that demands a further scope.

mcp_server.py DIRECTORY [--life SECONDS] [--retry MILLISECONDS]

/authorize      redirects straight back with a code: whoever opens the URL is a user who has approved
/mcp            tools `count`, `broken_count` (the server ends the stream halfway) and `publish` (scope `write`)
/control/expire ends the life of all access tokens, and `/control/requests` lists what was asked so far
"""

import argparse
import json
import secrets
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.shared.auth import OAuthToken
from starlette.responses import JSONResponse

import serving


class Provider(OAuthAuthorizationServerProvider):
    def __init__(self, life):
        self.life, self.clients, self.codes, self.access, self.refresh = life, {}, {}, {}, {}
        # The refresh tokens that were exchanged, with the family of each.
        self.families, self.used = {}, set()

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client):
        self.clients[client.client_id] = client

    async def authorize(self, client, params):
        code = secrets.token_urlsafe(24)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or ["read"],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            subject="alice",
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client, code):
        return self.codes.get(code)

    async def exchange_authorization_code(self, client, code):
        del self.codes[code.code]
        return self.issue(client, code.scopes, code.resource, secrets.token_hex(4))

    def issue(self, client, scopes, resource, family):
        access, refresh = f"at-{secrets.token_urlsafe(16)}", f"rt-{secrets.token_urlsafe(16)}"
        common = {"client_id": client.client_id, "scopes": scopes, "resource": resource, "subject": "alice"}
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + self.life, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        self.families[access] = self.families[refresh] = family
        return OAuthToken(
            access_token=access,
            token_type="Bearer",
            expires_in=self.life,
            scope=" ".join(scopes),
            refresh_token=refresh,
        )

    async def load_refresh_token(self, client, text):
        if text in self.used:
            self.end(self.families[text])
        return self.refresh.get(text)

    async def exchange_refresh_token(self, client, token, scopes):
        # Two requests may have loaded it; the first one has it.
        if self.refresh.pop(token.token, None) is None:
            self.end(self.families[token.token])
            raise TokenError("invalid_grant", "the refresh token was used before")
        self.used.add(token.token)
        return self.issue(client, scopes or token.scopes, token.resource, self.families[token.token])

    async def load_access_token(self, text):
        return self.access.get(text)

    async def revoke_token(self, token):
        self.end(self.families.get(token.token))

    def end(self, family):
        for table in [self.access, self.refresh]:
            for text in [text for text in table if self.families[text] == family]:
                del table[text]

    def expire(self):
        for token in self.access.values():
            token.expires_at = 1


class Events(EventStore):
    """All events of all streams, numbered from 1."""

    def __init__(self):
        self.events = []

    async def store_event(self, stream, message):
        self.events.append((stream, message))
        return str(len(self.events))

    async def replay_events_after(self, last, send):
        number = int(last)
        if not 0 < number <= len(self.events):
            return None
        stream = self.events[number - 1][0]
        for index in range(number, len(self.events)):
            its, message = self.events[index]
            if its == stream and message is not None:
                await send(EventMessage(message, str(index + 1)))
        return stream


class Recorded:
    """Lists the requests, and answers calls of `publish` without the scope `write` with a 403."""

    def __init__(self, app, provider, url, requests):
        self.app, self.provider, self.url, self.requests = app, provider, url, requests

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"].startswith("/control/"):
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.requests.append(
            {
                "method": scope["method"],
                "path": scope["path"],
                "query": scope["query_string"].decode(),
                "body": body.decode(errors="replace"),
                "last_event_id": headers.get("last-event-id"),
            }
        )
        if self.lacks_scope(headers.get("authorization", ""), body):
            metadata = f"{self.url}/.well-known/oauth-protected-resource/mcp"
            challenge = f'Bearer error="insufficient_scope", scope="write", resource_metadata="{metadata}"'
            response = JSONResponse({"error": "insufficient_scope"}, 403, {"WWW-Authenticate": challenge})
            return await response(scope, receive, send)
        sent = False

        async def again():
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, again, send)

    def lacks_scope(self, authorization, body):
        token = self.provider.access.get(authorization.removeprefix("Bearer "))
        if token is None or token.expires_at < time.time() or "write" in token.scopes:
            return False
        try:
            call = json.loads(body)
        except ValueError:
            return False
        return call.get("method") == "tools/call" and call["params"]["name"] == "publish"


def make_app(url, life, retry):
    provider, requests = Provider(life), []
    scopes = ["read", "write"]
    server = MCPServer(
        "freshet-test",
        auth_server_provider=provider,
        auth=AuthSettings(
            issuer_url=url,
            resource_server_url=f"{url}/mcp",
            required_scopes=["read"],
            validate_token_resource=True,
            client_registration_options=ClientRegistrationOptions(
                enabled=True, valid_scopes=scopes, default_scopes=["read"]
            ),
            revocation_options=RevocationOptions(enabled=True),
        ),
        log_level="WARNING",
    )

    @server.tool()
    async def count(to: int, ctx: Context) -> str:
        for number in range(1, to + 1):
            await ctx.report_progress(number, to, f"number {number}")
        return f"counted to {to}"

    @server.tool()
    async def broken_count(to: int, ctx: Context) -> str:
        for number in range(1, to + 1):
            await ctx.report_progress(number, to, f"number {number}")
            if number == to // 2:
                await ctx.close_sse_stream()
        return f"counted to {to}"

    @server.tool()
    async def publish(text: str) -> str:
        return f"published {text}"

    @server.custom_route("/control/expire", methods=["GET"])
    async def expire(request):
        provider.expire()
        return JSONResponse({})

    @server.custom_route("/control/requests", methods=["GET"])
    async def list_requests(request):
        return JSONResponse(requests)

    app = server.streamable_http_app(event_store=Events(), retry_interval=retry)
    return Recorded(app, provider, url, requests)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--life", type=int, default=600)
    parser.add_argument("--retry", type=int, default=50)
    arguments = parser.parse_args()
    serving.end_with_standard_input(arguments.directory)
    listener = serving.listening_socket()
    port = listener.getsockname()[1]
    app = make_app(f"http://127.0.0.1:{port}", arguments.life, arguments.retry)
    serving.announce(port)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
