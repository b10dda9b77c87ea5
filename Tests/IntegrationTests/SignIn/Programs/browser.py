"""A user at a browser: follows a URL, signs in, and answers each form until a page without one comes.

browser.py accept|deny URL [USER_CODE]
"""

import sys
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener


class Form(HTMLParser):
    """The fields of a page's form, and its buttons."""

    def __init__(self, page):
        super().__init__()
        self.exists, self.action = False, ""
        self.fields, self.buttons = {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.exists, self.action = True, values.get("action") or ""
        elif tag == "button" or values.get("type") == "submit":
            self.buttons.append((values.get("name"), values.get("value")))
        elif tag == "input":
            self.fields[values["name"]] = values.get("value") or ""


def button(form, decision):
    """The button for a decision: by its name or value, or for a refusal the one without a name."""
    names = {"accept": ("allow", "accept"), "deny": ("deny",)}[decision]
    for name, value in form.buttons:
        if name in names or value in names:
            return {name: value}
    return {}


def main(decision, url, user_code=None):
    jar = CookieJar()
    opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(jar))
    page = opener.open(url, timeout=10)
    for _ in range(8):
        form = Form(page.read().decode())
        if not form.exists:
            return
        own = {"username": "alice", "password": "wonderland", "user_code": user_code}
        fields = {name: own.get(name) or value for name, value in form.fields.items()}
        fields.update(button(form, decision))
        page = opener.open(urljoin(page.url, form.action), urlencode(fields).encode(), timeout=10)
    sys.exit("the forms do not end")


if __name__ == "__main__":
    main(*sys.argv[1:])
