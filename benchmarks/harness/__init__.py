"""What the benchmarks share: running a crawl, reading what it left, an independent search, the kill harness.

Nothing here imports the crawler: it is run as a program and judged by its files, by the server's log and by other
people's tools. Tests import this package as `benchmarks.harness`; the scripts beside it as `harness`.
"""
