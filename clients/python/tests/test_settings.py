from __future__ import annotations

import json
from pathlib import Path

import pytest

from virtual_computers import SettingsError
from virtual_computers._settings import find_settings

PROFILES = {
    "current": "here",
    "profiles": {
        "here": {"baseUrl": "http://127.0.0.1:4700/api", "apiKey": "key-here"},
        "work": {"baseUrl": "https://vc.example.com/api", "apiKey": "key-work"},
    },
}


def found(tmp_path: Path, *given: str | None, **env: str) -> tuple[str, str | None]:
    base_url, api_key, profile = [*given, None, None, None][:3]
    (tmp_path / "config.json").write_text(json.dumps(PROFILES))
    env["VC_CONFIG_DIR"] = str(tmp_path)
    settings = find_settings(base_url, api_key, profile, env)
    return settings.base_url, settings.api_key


def test_takes_arguments_then_the_environment_then_the_profile(tmp_path: Path) -> None:
    here, work = "http://127.0.0.1:4700/api", "https://vc.example.com/api"
    assert found(tmp_path) == (here, "key-here")
    assert found(tmp_path, VC_PROFILE="work") == (work, "key-work")
    assert found(tmp_path, None, None, "work") == (work, "key-work")
    assert found(tmp_path, VC_API_KEY="other", VC_BASE_URL="") == (here, "other")
    given = found(tmp_path, "http://h/api/", "mine", VC_BASE_URL="http://e", VC_API_KEY="no")
    assert given == ("http://h/api", "mine")


def test_uses_the_key_of_a_profile_only_for_its_own_base_url(tmp_path: Path) -> None:
    assert found(tmp_path, "http://localhost:4700/api/")[1] == "key-here"
    for other in ["http://127.0.0.1:4701/api", "https://127.0.0.1:4700/api", "http://a.example/api"]:
        assert found(tmp_path, other)[1] is None
        assert found(tmp_path, VC_BASE_URL=other, VC_PROFILE="work")[1] is None


def test_writes_the_scheme_in_lower_case(tmp_path: Path) -> None:
    env = {"VC_CONFIG_DIR": str(tmp_path)}
    for url in ["HTTP://127.0.0.1:4700/api/", "Http://127.0.0.1:4700/api"]:
        assert find_settings(url, "k", None, env).base_url == "http://127.0.0.1:4700/api"


def test_needs_no_profile(tmp_path: Path) -> None:
    env = {"VC_CONFIG_DIR": str(tmp_path / "none")}
    assert find_settings(None, None, None, env).base_url == "http://127.0.0.1:4700/api"
    (tmp_path / "config.json").write_text("damaged")
    damaged = {"VC_CONFIG_DIR": str(tmp_path)}
    assert find_settings("http://h", "k", None, damaged).api_key == "k"
    with pytest.raises(SettingsError, match="is damaged"):
        find_settings("http://h", None, None, damaged)


@pytest.mark.parametrize(
    ("base_url", "key", "profile", "message"),
    [
        ("ftp://h", "k", None, "not an http"),
        ("http://h:99999", "k", None, "not an http"),
        ("http://h/api?a=1", "k", None, "not an http"),
        ("http://me:secret@h", "k", None, "must not hold a user name"),
        ("http://h", "se cret", None, "the API key has"),
        (None, None, "none", 'no profile "none"'),
    ],
)
def test_refuses_impossible_settings_without_repeating_secrets(
    base_url: str | None, key: str | None, profile: str | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=message) as raised:
        found(tmp_path, base_url, key, profile)
    assert "secret" not in str(raised.value) and "se cret" not in str(raised.value)
