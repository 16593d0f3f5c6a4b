"""Credentials stay out of whatever is stored, logged or shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus, unquote, urlsplit, urlunsplit

from viva.core.errors import UsageError

BLANK = "***"
SHORTEST = 8
"""Characters; a shorter value of the environment is too common in ordinary text to be blanked."""
URL_FORM = "An address reads https://host:port/path, special characters percent-encoded."

# --- what a credential looks like ------------------------------------------------------------------------

# names of environment variables and of query parameters; MAX_TOKENS, TOKENIZERS and KEYBOARD are none
_SECRET_NAME = re.compile(
    r"(?:key|secret|credential|password|passwd)s?(?![a-z])|(?:token|passphrase|pwd)(?![a-z])"
    r"|(?<![a-z])(?:auth|authorization|bearer|code|cookie|headers|jwt|pass|pat|sig|signature)(?![a-z])",
    re.IGNORECASE,
)
# paths, and a message is of no use without them
_NOT_SECRET = {"PWD", "OLDPWD", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_AUTH_SOCK"}

# Every repetition that may fail to match is bounded: the text is anybody's, and may be long.
# keys that show by their form whose they are
_FORMS = re.compile(
    r"(?<![A-Za-z0-9])sk-[\w*-]{6,}"
    r"|sk-(?=[\w*-]{0,200}\d)[\w*-]{16,}"
    r"|AIza[\w*-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9*]{12,}"
    r"|(?:gsk_|hf_|xai-|pplx-|nvapi-|lsv2_|ghp_|github_pat_|glpat-|xox[abprs]-|r8_|tgp_v1_|ya29\.)[\w.*-]{12,}"
    r"|eyJ[\w*-]{16,}(?:\.[\w*-]+)*"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w\s+/=*\\-]*"
)
# secrets known by what stands before them
_USERINFO = re.compile(r"""(?<=://)(?:[^\s/?#@:"<>]{0,1000}:[^\s"<>]{0,1000}@|[^\s/?#@:"<>]{1,1000}@)""")
_IN_QUERY = re.compile(
    r"([?&][\w.-]{0,40}?(?:key|token|secret|passw|pwd|auth|sig|credential|code)[\w.-]{0,40}=)"
    r"""[^&\s#"'<>]+""",
    re.IGNORECASE,
)
_IN_HEADER = re.compile(
    r"((?:authorization|api[-_ ]?key|access[-_ ]?key|secret|token|passw(?:or)?d|passphrase|cookie)"
    r"""["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|token)\s{1,4})?)"""
    rf"""[^\s"',;&}}\])]{{{SHORTEST},}}""",
    re.IGNORECASE,
)
_IN_FLAG = re.compile(
    r"(--?(?:[a-z]{1,20}[-_])?(?:key|token|secret|passw(?:or)?d|passphrase)(?:\s{1,4}|=))[^\s-]\S*", re.IGNORECASE
)
_BEARER = re.compile(r"(bearer\s{1,4})[\w.~+/=*-]+", re.IGNORECASE)


# --- addresses -------------------------------------------------------------------------------------------


def without_credentials(url: str, *, named: str = "The address") -> str:
    """The URL without user, password, fragment and the query parameters that look like secrets.

    UsageError for what is no http(s) URL; no part of it is repeated there. `named` says whose address it is.
    """
    try:
        parts = urlsplit(url)
        readable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        readable = False
    if not readable or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        # outside the handler: what the parser says may quote the URL, and with it the password
        raise UsageError(f"{named} cannot be read.", allowed=URL_FORM)
    if "@" in parts.path + parts.query + parts.fragment:
        # the rest of a password with a bare '/', '?' or '#' would stand there
        raise UsageError(f"{named} holds a bare '@' behind the host.", allowed="Write it %40.")
    kept = (piece for piece in parts.query.split("&") if not _SECRET_NAME.search(unquote(piece.partition("=")[0])))
    rest = urlunsplit(("", "", parts.path, "&".join(kept), ""))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{_FORMS.sub(BLANK, rest)}"


# --- texts -----------------------------------------------------------------------------------------------


class Secrets:
    """Blanks credentials in texts: those it is given, those in the environment, those that look like some.

    The environment is read once, here: make one per run. Of its values those count whose name looks secret and
    that have at least SHORTEST characters, and the passwords in its URLs.
    """

    def __init__(self, *known: str, environ: Mapping[str, str] | None = None) -> None:
        found = (value for value in _of(os.environ if environ is None else environ) if len(value) >= SHORTEST)
        written = {form for value in (*known, *found) if value for form in _written(value)}
        # the longest first: one secret may begin with another
        literals = [re.escape(form) for form in sorted(written, key=lambda form: (-len(form), form))]
        self._literal = re.compile("|".join(literals), re.IGNORECASE) if literals else None

    def redacted(self, text: str) -> str:
        """The text with *** for every credential. Some ordinary words may fall too: rather those than a key."""
        if self._literal is not None:
            text = self._literal.sub(BLANK, text)
        text = _USERINFO.sub(f"{BLANK}@", text)
        for before in (_IN_QUERY, _BEARER, _IN_HEADER, _IN_FLAG):
            text = before.sub(rf"\1{BLANK}", text)
        return _FORMS.sub(BLANK, text)


def _of(environ: Mapping[str, str]) -> Iterator[str]:
    """Every value that may be a secret."""
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and name not in _NOT_SECRET:
            yield value.strip()
            for piece in value.split(","):
                # several keys, or headers: name=value,name=Bearer%20value
                yield piece.strip()
                yield from unquote(piece.partition("=")[2]).split()[-1:]
        for userinfo in _USERINFO.findall(value):
            secret = userinfo[:-1].partition(":")[2] or userinfo[:-1]
            yield from (secret, unquote(secret))


def _written(secret: str) -> Iterator[str]:
    """The ways in which a secret may stand in a text."""
    yield secret
    yield " ".join(secret.split())
    yield quote(secret, safe="", errors="replace")
    yield quote_plus(secret, errors="replace")
    for ensure_ascii in (True, False):
        yield json.dumps(secret, ensure_ascii=ensure_ascii)[1:-1]
