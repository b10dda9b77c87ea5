"""Authorization servers that differ in how a client has to prove itself, by Authlib, and a resource.

Authlib decodes HTTP Basic, verifies assertions and PKCE verifiers, and finds revoked tokens. This file has the clients,
the tables in memory, and the rules of each issuer:

/basic     HTTP Basic alone
/issuer    `private_key_jwt` alone; `aud` has to be the issuer
/endpoint  `private_key_jwt` alone; `aud` has to be the token endpoint

`/a` is the resource. `/control/ISSUER/` has `approve?user_code=`, `expire` (all access tokens) and `requests` (what the
issuer was asked, with the proof of the client).

authlib_server.py DIRECTORY    the private keys of the clients `rs` and `es` are written there as PEM
"""

import json
import sys
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, jsonify, request
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

import serving

USER = "alice"


class Client(ClientMixin):
    def __init__(self, client_id, method, secret=None, key=None):
        self.client_id, self.method, self.secret, self.key = client_id, method, secret, key

    def get_client_id(self):
        return self.client_id

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:") and uri.endswith("/callback")

    def check_client_secret(self, secret):
        return self.secret == secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return True


class Token(TokenMixin):
    def __init__(self, values, client_id):
        self.values, self.client_id = values, client_id
        self.ends, self.revoked, self.replaced = time.time() + 600, False, False

    def check_client(self, client):
        return self.client_id == client.client_id

    def get_scope(self):
        return self.values.get("scope", "")

    def is_expired(self):
        return self.ends < time.time()

    def is_revoked(self):
        return self.revoked


class Code(dict):
    def get_redirect_uri(self):
        return self["redirect_uri"]

    def get_scope(self):
        return self["scope"]


class Tenant:
    """One issuer."""

    def __init__(self, app, url, name, method, clients, tokens):
        self.issuer, self.token_url = f"{url}/{name}", f"{url}/{name}/token"
        self.method, self.tokens = method, tokens
        self.codes, self.devices, self.approved, self.requests = {}, {}, set(), []
        self.server = AuthorizationServer(app, clients.get, self.save)
        self.register()

    def save(self, values, asked):
        self.tokens.append(Token(values, asked.client.client_id))

    def register(self):
        tenant, method = self, self.method

        class Proof(JWTBearerClientAssertion):
            CLIENT_AUTH_METHOD = "private_key_jwt"
            used = set()

            def get_audiences(self):
                return [tenant.token_url if tenant.issuer.endswith("/endpoint") else tenant.issuer]

            def validate_jti(self, claims, jti):
                if jti in self.used:
                    return False
                self.used.add(jti)
                return True

            def resolve_client_public_key(self, client):
                return client.key

        class ByCode(grants.AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = [method]

            def save_authorization_code(self, code, asked):
                data = asked.payload.data
                names = ["redirect_uri", "scope", "code_challenge", "code_challenge_method"]
                tenant.codes[code] = Code({name: data.get(name) for name in names}, client_id=asked.client.client_id)

            def query_authorization_code(self, code, client):
                found = tenant.codes.get(code)
                return found if found and found["client_id"] == client.client_id else None

            def delete_authorization_code(self, code):
                tenant.codes = {key: value for key, value in tenant.codes.items() if value is not code}

            def authenticate_user(self, code):
                return USER

        class Challenge(CodeChallenge):
            SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

            def get_authorization_code_challenge(self, code):
                return code["code_challenge"]

            def get_authorization_code_challenge_method(self, code):
                return code["code_challenge_method"]

        class Refresh(grants.RefreshTokenGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = [method]
            INCLUDE_NEW_REFRESH_TOKEN = True

            def authenticate_refresh_token(self, text):
                found = tenant.find("refresh_token", text)
                return found if found and not found.revoked and not found.replaced else None

            def authenticate_user(self, token):
                return USER

            def revoke_old_credential(self, token):
                token.replaced = True

        class Revocation(RevocationEndpoint):
            CLIENT_AUTH_METHODS = [method]

            def query_token(self, text, hint):
                return tenant.find("access_token", text) or tenant.find("refresh_token", text)

            def revoke_token(self, token, asked):
                token.revoked = True

        class Device(DeviceAuthorizationEndpoint):
            CLIENT_AUTH_METHODS = [method]
            INTERVAL = 1

            def get_verification_uri(self):
                return f"{tenant.issuer}/activate"

            def save_device_credential(self, client_id, scope, data):
                device = DeviceCredentialDict(client_id=client_id, scope=scope, **data)
                tenant.devices[data["device_code"]] = device

        class ByDevice(DeviceCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = [method]

            def query_device_credential(self, device_code):
                return tenant.devices.get(device_code)

            def query_user_grant(self, user_code):
                return (USER, True) if user_code in tenant.approved else None

            def should_slow_down(self, device):
                return False

        class Issuer(IssuerParameter):
            def get_issuer(self):
                return tenant.issuer

        self.server.register_client_auth_method("private_key_jwt", Proof())
        self.server.register_grant(ByCode, [Challenge(required=True)])
        for grant in [Refresh, ByDevice]:
            self.server.register_grant(grant)
        for endpoint in [Revocation, Device]:
            self.server.register_endpoint(endpoint)
        self.server.register_extension(Issuer())

    def find(self, kind, text):
        return next((token for token in self.tokens if token.values.get(kind) == text), None)

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": self.token_url,
            "device_authorization_endpoint": f"{self.issuer}/device",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [self.method],
            "authorization_response_iss_parameter_supported": True,
        }

    def answer(self, endpoint):
        """Answers a request to an endpoint at which clients authenticate themselves, and records it."""
        if endpoint == "token":
            response = self.server.create_token_response()
        else:
            name = {"device": "device_authorization", "revoke": "revocation"}[endpoint]
            response = self.server.create_endpoint_response(name)
        entry = {
            "endpoint": endpoint,
            "status": response.status_code,
            "grant": request.form.get("grant_type"),
            "basic": request.headers.get("Authorization", "").startswith("Basic "),
            "secret_in_form": "client_secret" in request.form,
        }
        assertion = request.form.get("client_assertion")
        if assertion:
            found = jws.extract_compact(assertion.encode())
            entry.update(assertion=assertion, header=found.headers(), claims=json.loads(found.payload))
        self.requests.append(entry)
        return response


def make_app(url, directory):
    app = Flask(__name__)
    app.config.update(OAUTH2_REFRESH_TOKEN_GENERATOR=True, OAUTH2_TOKEN_EXPIRES_IN={"authorization_code": 600})
    tokens = []
    keys = {"rs": RSAKey.generate_key(2048), "es": ECKey.generate_key("P-256")}
    for name, key in keys.items():
        with open(f"{directory}/{name}.pem", "wb") as file:
            file.write(key.as_pem(private=True))
    signing = {name: Client(name, "private_key_jwt", key=key) for name, key in keys.items()}
    secrets = {"signs": "a+b%41c:d/e=", "c:l%i+d": "s:%2B", "spaces": "a b c"}
    knowing = {name: Client(name, "client_secret_basic", secret=text) for name, text in secrets.items()}
    tenants = {"basic": Tenant(app, url, "basic", "client_secret_basic", knowing, tokens)}
    for name in ["issuer", "endpoint"]:
        tenants[name] = Tenant(app, url, name, "private_key_jwt", signing, tokens)

    class Validator(BearerTokenValidator):
        def authenticate_token(self, text):
            return next((token for token in tokens if token.values["access_token"] == text), None)

    protected = ResourceProtector()
    protected.register_token_validator(Validator())

    @app.get("/.well-known/oauth-authorization-server/<name>")
    def metadata(name):
        return jsonify(tenants[name].metadata())

    @app.get("/<name>/authorize")
    def authorize(name):
        server = tenants[name].server
        return server.create_authorization_response(grant=server.get_consent_grant(USER), grant_user=USER)

    @app.post("/<name>/<any(token, device, revoke):endpoint>")
    def endpoint(name, endpoint):
        return tenants[name].answer(endpoint)

    @app.get("/a")
    @protected()
    def resource():
        return jsonify(user=USER)

    @app.get("/control/<name>/<any(approve, expire, requests):order>")
    def control(name, order):
        tenant = tenants[name]
        if order == "approve":
            tenant.approved.add(request.args["user_code"])
        elif order == "expire":
            for token in tokens:
                token.ends = 0
        return jsonify(tenant.requests)

    return app


if __name__ == "__main__":
    serving.serve_wsgi(sys.argv[1], make_app)
