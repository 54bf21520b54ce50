"""Where bytes are kept: an ordered store with atomic batches, and files that are never half written.

`kv` is the contract, `rocks` keeps it on disk, `memory` in memory; `files` has the folder lock and the durable file
operations. Nothing here knows what a URI is.
"""

from gossamer.storage.files import FolderLock, free_bytes
from gossamer.storage.kv import KV, Batch, scan_all
from gossamer.storage.rocks import RocksKV

__all__ = ["KV", "Batch", "FolderLock", "RocksKV", "free_bytes", "scan_all"]
