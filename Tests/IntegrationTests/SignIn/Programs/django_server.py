"""An authorization server and a resource, by Django OAuth Toolkit.

The toolkit does all of OAuth: its own pages for sign-in, consent and device codes, its rotation of refresh tokens with
the detection of a second use, its revocation. This file has only settings, clients, the resources `/a` (scope
read) and `/changes` (scope write), and `/control/expire`, which ends the life of all access tokens, and with
`?slow=SECONDS` delays the responses of the token endpoint from then on.

django_server.py DIRECTORY
"""

import sys
import time

import django
from django.conf import settings

import serving

# Each character of it is one that clients or servers get wrong in HTTP Basic.
SECRET = "a+b%41c:d e/="


def configure(directory):
    settings.configure(
        SECRET_KEY="of tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="django_server",
        LOGIN_URL="/login/",
        USE_TZ=True,
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": f"{directory}/db",
                "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
            }
        },
        # Tables straight from the models: migrations one by one take several seconds.
        MIGRATION_MODULES={name: None for name in ["auth", "contenttypes", "sessions", "oauth2_provider"]},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "context_processors": ["django.template.context_processors.request"],
                    "loaders": [
                        (
                            "django.template.loaders.locmem.Loader",
                            {
                                "login.html": "<form method=post>{% csrf_token %}{{ form }}"
                                "<button>Sign in</button></form>"
                            },
                        ),
                        "django.template.loaders.app_directories.Loader",
                    ],
                },
            }
        ],
        OAUTH2_PROVIDER={
            "SCOPES": {"read": "read", "write": "write"},
            "ACCESS_TOKEN_EXPIRE_SECONDS": 600,
            "ROTATE_REFRESH_TOKEN": True,
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
            "PKCE_REQUIRED": True,
            "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
            "OAUTH_DEVICE_VERIFICATION_URI": "/o/device/",
            "DEVICE_FLOW_INTERVAL": 1,
        },
    )


def make_app(url):
    settings.OAUTH2_PROVIDER["OAUTH_DEVICE_VERIFICATION_URI"] = f"{url}/o/device/"
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from oauth2_provider.models import Application

    call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)
    User.objects.create_user("alice", password="wonderland")
    callback = "http://127.0.0.1/callback"
    Application.objects.create(
        client_id="device", client_type="public", name="device",
        authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code",
    )
    Application.objects.create(
        client_id="browser", client_type="public", name="browser", redirect_uris=callback,
        authorization_grant_type="authorization-code",
    )
    Application.objects.create(
        client_id="secret", client_type="confidential", name="secret", redirect_uris=callback,
        client_secret=SECRET, authorization_grant_type="authorization-code",
    )
    return get_wsgi_application()


def routes():
    from datetime import timedelta

    from django.contrib.auth.views import LoginView
    from django.http import JsonResponse
    from django.urls import include, path
    from django.utils import timezone
    from django.views.decorators.csrf import csrf_exempt
    from oauth2_provider import urls
    from oauth2_provider.decorators import protected_resource
    from oauth2_provider.models import AccessToken
    from oauth2_provider.views import TokenView

    @protected_resource(scopes=["read"], advertise_metadata=True)
    def resource(request):
        return JsonResponse({"user": request.resource_owner.username})

    @protected_resource(scopes=["write"], advertise_metadata=True)
    def changes(request):
        return JsonResponse({"user": request.resource_owner.username})

    token, slowness = TokenView.as_view(), [0.0]

    @csrf_exempt
    def slow_token(request):
        time.sleep(slowness[0])
        return token(request)

    def expire(request):
        slowness[0] = float(request.GET.get("slow", 0))
        AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=5))
        return JsonResponse({})

    return [
        path("", include((urls.metadata_urlpatterns, "metadata"))),
        path("o/token/", slow_token),
        path("o/", include((urls.base_urlpatterns, "oauth2_provider"))),
        path("login/", LoginView.as_view(template_name="login.html")),
        path("a", resource),
        path("changes", changes),
        path("control/expire", expire),
    ]


urlpatterns = []


def main(url, directory):
    configure(directory)
    app = make_app(url)
    urlpatterns.extend(routes())
    return app


if __name__ == "__main__":
    # Django finds its URL patterns by this module's name.
    sys.modules["django_server"] = sys.modules["__main__"]
    serving.serve_wsgi(sys.argv[1], main)
