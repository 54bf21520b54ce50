"""Why a URI has no ordinary HTTP answer: one member per cause, with its log code, whose fault it is, and a sentence.

Codes below zero are Heritrix's where Heritrix has one, so that its users' log tools keep working; -20 and below are
ours. An HTTP status is never a FetchStatus: an answered fetch has `Exchange.http_status`.
"""

from __future__ import annotations

from enum import Enum


class Fault(Enum):
    """Whose fault a failure is; this decides who is charged for it."""

    HOST = "host"
    """Nothing on this host can be fetched now: the queue waits and is charged, the URI keeps its place."""
    URI = "uri"
    """Only this URI is at fault: it is charged an attempt and goes behind the fresh ones."""
    NETWORK = "network"
    """The crawl's own: nobody is charged, the URI keeps its place, and the crawl waits until it can go on."""
    NONE = "none"
    """Nobody's: a rule refused it, or it can never be fetched. Not retried."""


class FetchStatus(Enum):
    """(log code, fault, retried, sentence)."""

    DNS_FAILED = (-1, Fault.HOST, True, "The host name could not be resolved.")
    CONNECT_FAILED = (-2, Fault.HOST, True, "No connection to the host could be made.")
    CONNECTION_LOST = (-3, Fault.URI, True, "The connection broke before the response headers were complete.")
    TIMED_OUT = (-4, Fault.URI, True, "The server did not answer in time.")
    CRASHED = (-5, Fault.URI, True, "An unexpected error in the crawler; see the log.")
    UNFETCHABLE = (-7, Fault.NONE, False, "The URI is illegal or its scheme is not supported.")
    EMPTY_RESPONSE = (-404, Fault.URI, True, "The server closed the connection without a single byte.")
    ROBOTS_UNREACHABLE = (-61, Fault.NONE, False, "robots.txt could not be had, so nothing of the host may be fetched.")
    TOO_MANY_HOPS = (-4001, Fault.NONE, False, "Too many link hops from the seed.")
    OUT_OF_SCOPE = (-5000, Fault.NONE, False, "Out of scope.")
    BLOCKED_BY_USER = (-5001, Fault.NONE, False, "Refused by a setting or by should_visit.")
    OVER_QUOTA = (-5003, Fault.NONE, False, "The budget for this is spent.")
    DELETED = (-6000, Fault.NONE, False, "Deleted by the operator.")
    TOE_DIED = (-7000, Fault.URI, True, "The toe that held it died or was stuck.")
    ROBOTS_FORBIDDEN = (-9998, Fault.NONE, False, "Forbidden by robots.txt.")
    TLS_FAILED = (-20, Fault.HOST, True, "No secure connection could be made.")
    MALFORMED_RESPONSE = (-21, Fault.URI, True, "What came back is not an HTTP response.")
    HEADERS_TOO_LARGE = (-22, Fault.NONE, False, "The response headers are larger than allowed.")
    FORBIDDEN_ADDRESS = (-23, Fault.NONE, False, "The address is private, local or otherwise not to be asked.")
    UNEXPECTED_UPGRADE = (-24, Fault.NONE, False, "The server changed to a protocol nobody asked for.")
    HOST_UNREACHABLE = (-25, Fault.NONE, False, "The host stayed unreachable through all its tries.")
    TOO_MANY_REDIRECTS = (-26, Fault.NONE, False, "Redirected to itself too many times.")

    PROXY_FAILED = (-27, Fault.NETWORK, True, "The proxy could not be used.")
    BODY_TOO_LARGE = (-28, Fault.NONE, False, "The body is larger than allowed.")
    LOGIN_FAILED = (-29, Fault.NONE, False, "The site needs a login, which did not succeed.")

    def __init__(self, code: int, fault: Fault, is_retried: bool, sentence: str) -> None:
        self.code = code
        self.fault = fault
        self.is_retried = is_retried
        self.sentence = sentence
