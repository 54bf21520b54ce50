"""Fetching: a request in, an Exchange out, whatever the server does.

    session       SessionFetcher: brings along cookies and credentials; in front of
    http          HttpFetcher: one request from its URL to its Exchange
    cookies       the jar (`setcookie` reads a line, `cookiestore` keeps it over restarts, `cookiefile` is cookies.txt)
    auth          who may log in where, by Basic or Digest (`challenge` reads what a server wants, `digest` answers)
    proxy         through which proxy what goes, and how (`socks` for SOCKS)
    hosts         names whose addresses the operator gave
    request       the bytes that are sent
    dialing       an address, checked and connected, with TLS on top: a new connection
    connections   those connections while they live: the pool, its caps, the one coarse timer
    connection    the asyncio protocol of one of them
    response      the reader: bytes in, one response out; knows no socket
    head          status line and headers as a record
    strict        reads it as llhttp does, on the fast path
    tolerant      reads it as browsers do, when llhttp objects
    framing       which body follows a head
    chunked       the chunked transfer coding
    deadline      a limit on a block of awaits
    recording     what came over the wire, in memory or in a spool file
    address       may this address be connected to?
    dns           names to addresses, through c-ares
    tls           verified first, then recorded as unverified, or refused
    decode        content codings undone, for extraction only

Whatever a server sends is bounded and recorded, and is never an exception outside of here.
"""
