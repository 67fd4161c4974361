"""The other side of webhooks: a program that gets their messages."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping

from ._errors import WebhookVerificationError


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, *, tolerance: float = 300
) -> dict[str, Any]:
    """
    Verifies the signature of a message to a webhook (Standard Webhooks) and returns the message, a
    dictionary with `type`, `timestamp` and `data`. `body` has to be exactly what was received; `secret`
    is what `webhooks.create` returned; `tolerance` is by how many seconds its time may differ.
    """
    named = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp = named["webhook-id"], named["webhook-timestamp"]
        signatures = named["webhook-signature"].split(" ")
    except KeyError as error:
        raise WebhookVerificationError(f"the message has no header {error.args[0]}") from None
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("the header webhook-timestamp is not of the present")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookVerificationError("the secret is not that of a webhook: whsec_...") from None
    sent = body.encode() if isinstance(body, str) else body
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + sent, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, given.encode()) for given in signatures):
        raise WebhookVerificationError("no signature of the message is right")
    message: dict[str, Any] = json.loads(sent)
    return message
