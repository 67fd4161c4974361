"""Base URL and key: arguments, then the environment, then the CLI's profile."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping
from urllib.parse import urlsplit

from ._errors import SettingsError

DEFAULT_BASE_URL = "http://127.0.0.1:4700/api"
LARGEST_PROFILE_FILE = 1 << 20


@dataclass(frozen=True)
class Settings:
    base_url: str
    # Not in a traceback or a debugger's list of values.
    api_key: str | None = field(repr=False)


def find_settings(
    base_url: str | None,
    api_key: str | None,
    profile: str | None,
    env: Mapping[str, str],
) -> Settings:
    """The key of a profile applies only to the profile's own base URL."""
    # A damaged profile file does not matter to a caller who needs none.
    stored = {} if base_url and api_key else _profile(profile or env.get("VC_PROFILE"), env)
    url = base_url or env.get("VC_BASE_URL") or stored.get("baseUrl") or DEFAULT_BASE_URL
    is_at_home = _same(url, stored.get("baseUrl", ""))
    own = stored if is_at_home else {}
    key = api_key or env.get("VC_API_KEY") or own.get("apiKey")
    return Settings(_checked_url(url), _checked_key(key))


def _profile(name: str | None, env: Mapping[str, str]) -> Mapping[str, Any]:
    home = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME") or Path.home(), ".config")
    path = Path(env.get("VC_CONFIG_DIR") or os.path.join(home, "vc")) / "config.json"
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(LARGEST_PROFILE_FILE))
        profiles, current = content["profiles"], content["current"]
        stored = profiles.get(name or current)
        if not all(isinstance(value, str) for value in (stored or {}).values()):
            raise TypeError
    except FileNotFoundError:
        profiles, stored = {}, None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"the profile file {path} is damaged") from error
    if stored is None and name:
        raise SettingsError(f'there is no profile "{name}"', remedy="List them: vc profile ls")
    return stored or {}


def _same(one: str, other: str) -> bool:
    """Two base URLs are the same address; `localhost` is 127.0.0.1."""

    def plain(url: str) -> tuple[str, str | None, int | None, str]:
        parts = urlsplit(url.rstrip("/"))
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, host, port, parts.path

    try:
        return plain(one) == plain(other)
    except ValueError:
        return False


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.query or parts.fragment:
        raise SettingsError(f"the base URL {url!r} is not an http(s) address")
    if parts.username or parts.password:
        raise SettingsError("the base URL must not hold a user name or password")
    # With the scheme in lower case, and without the characters that urlsplit ignores.
    return parts.geturl().rstrip("/")


def _checked_key(key: str | None) -> str | None:
    # The key itself is never part of a message.
    if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key):
        raise SettingsError("the API key has a character no key has")
    return key
