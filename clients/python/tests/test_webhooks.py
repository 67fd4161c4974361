"""Webhooks, and the verification of their messages."""

from __future__ import annotations

import json
import time

import pytest
from conftest import Answer, ScriptedService
from virtual_computers import VirtualComputers, WebhookVerificationError, verify_webhook

# The example of https://github.com/standard-webhooks/standard-webhooks
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = '{"test": 2432232314}'
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1a,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_the_message_of_the_specification_is_verified() -> None:
    for body in (BODY, BODY.encode()):
        message = verify_webhook(body, HEADERS, SECRET, tolerance=time.time())
        assert message == {"test": 2432232314}


@pytest.mark.parametrize(
    ("body", "headers", "secret"),
    [
        (BODY + " ", {}, SECRET),
        (BODY, {"Webhook-Id": "msg_other"}, SECRET),
        (BODY, {"webhook-timestamp": "1614265331"}, SECRET),
        (BODY, {"webhook-timestamp": "now"}, SECRET),
        (BODY, {"webhook-signature": "v1,"}, SECRET),
        (BODY, {"webhook-signature": "Grüße"}, SECRET),
        (BODY, {}, "whsec_AAAA"),
        (BODY, {}, "no secret"),
    ],
)
def test_others_are_refused(body: str, headers: dict[str, str], secret: str) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(body, {**HEADERS, **headers}, secret, tolerance=time.time())


def test_old_messages_and_missing_headers_are_refused() -> None:
    with pytest.raises(WebhookVerificationError, match="timestamp is not of the present"):
        verify_webhook(BODY, HEADERS, SECRET)
    with pytest.raises(WebhookVerificationError, match="no header webhook-id"):
        verify_webhook(BODY, {}, SECRET)


def test_a_webhook_is_created(service: ScriptedService) -> None:
    webhook = {"id": "whk_1", "url": "https://app.example.com/", "events": ["computer.*"]}
    more = {"status": "active", "pending": 0, "created_at": "2026-01-01T00:00:00.000Z"}
    service.answers = [Answer(body=json.dumps({**webhook, **more, "secret": SECRET}).encode())]
    vc = VirtualComputers(service.base_url, "k")
    assert vc.webhooks.create("https://app.example.com/", ["computer.*"]).secret == SECRET
    [request] = service.received
    assert json.loads(request.body) == {"url": webhook["url"], "events": webhook["events"]}
